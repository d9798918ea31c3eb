"""What a repository builds: the objects of overlays, releases and applications, with their origins."""
