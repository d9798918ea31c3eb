module dradsl.dev/oracle

go 1.27.0

require k8s.io/apiserver v0.38.0-alpha.2

require (
	github.com/blang/semver/v4 v4.0.0 // indirect
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/go-openapi/swag v0.29.2 // indirect
	github.com/google/cel-go v0.29.2 // indirect
	k8s.io/apimachinery v0.38.0-alpha.2 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
	sigs.k8s.io/yaml v1.6.0 // indirect
)

replace k8s.io/kube-openapi => k8s.io/kube-openapi v0.0.0-20260721132016-d427ff9ee9ad
