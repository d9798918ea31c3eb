# The formula for Homebrew: `.ci/entries` fills in the version, the checksum and the addresses.
class Dradsl < Formula
  desc "Lint, write, migrate and simulate Kubernetes DRA manifests"
  homepage "${PROJECT_URL}"
  url "${REPOSITORY_URL}/releases/download/v${VERSION}/dradsl.pyz"
  version "${VERSION}"
  sha256 "${SHA256}"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    python = Formula["python@3.13"].opt_bin/"python3.13"
    libexec.install "dradsl.pyz"
    libexec.install_symlink libexec/"dradsl.pyz" => "kubectl-dra.pyz"
    { "dradsl" => "dradsl.pyz", "kubectl-dra" => "kubectl-dra.pyz" }.each do |name, file|
      (bin/name).write <<~SH
        #!/bin/sh
        exec "#{python}" "#{libexec}/#{file}" "$$@"
      SH
    end
  end

  test do
    (testpath/"claim.yaml").write <<~YAML
      apiVersion: resource.k8s.io/v1
      kind: ResourceClaim
      metadata: {name: gpu, namespace: ml}
      spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com, count: -1}}]}}
    YAML
    assert_match "DRA304", shell_output("#{bin}/dradsl lint --isolated claim.yaml", 1)
  end
end
