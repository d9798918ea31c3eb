"""What Argo CD builds of a repository: Applications, and those that ApplicationSets make."""
