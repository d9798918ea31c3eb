// Rows of upstream's own tests of validation as whole objects: each line of the input is a call that a test made
// (tests/kube/workloads/tables.py records them), each line of the output is the object of it in its first version.
//
// A call that judges a part of a pod becomes a pod with that part, which is valid but for it. Every pod gets a claim.
// With the argument `functions` it lists the functions whose calls it knows.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
)

type row struct {
	Test     string
	Function string
	Args     args
}

type args map[string]json.RawMessage

type object struct {
	Test     string         `json:"test"`
	Function string         `json:"function"`
	Object   map[string]any `json:"object"`
}

// read reads an argument; one that the call does not have leaves the value as it is.
func (a args) read(name string, into any) {
	if raw, is := a[name]; is {
		if err := json.Unmarshal(raw, into); err != nil {
			panic(fmt.Sprintf("%s: %v", name, err))
		}
	}
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: "default"}
}

func ctr(name string) core.Container {
	return core.Container{Name: name, Image: "image"}
}

// pod is a valid pod, changed by what a call judges.
func pod(change func(a args, spec *core.PodSpec)) func(args) runtime.Object {
	return func(a args) runtime.Object {
		spec := core.PodSpec{
			Containers: []core.Container{ctr("ctr")}, RestartPolicy: core.RestartPolicyAlways,
			SecurityContext: &core.PodSecurityContext{},
		}
		change(a, &spec)
		return &core.Pod{ObjectMeta: meta("pod"), Spec: spec}
	}
}

// inContainer is a valid pod whose container is changed.
func inContainer(change func(a args, container *core.Container)) func(args) runtime.Object {
	return pod(func(a args, spec *core.PodSpec) { change(a, &spec.Containers[0]) })
}

// around reads what validation is told of the pod around containers.
func around(a args, spec *core.PodSpec) {
	sources := map[string]core.VolumeSource{}
	a.read("volumes", &sources)
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		spec.Volumes = append(spec.Volumes, core.Volume{Name: name, VolumeSource: sources[name]})
	}
	claims := sets.Set[string]{}
	a.read("podClaimNames", &claims)
	for _, name := range sets.List(claims) {
		spec.ResourceClaims = append(spec.ResourceClaims, core.PodResourceClaim{Name: name, ResourceClaimName: &name})
	}
	a.read("gracePeriod", &spec.TerminationGracePeriodSeconds)
	a.read("os", &spec.OS)
	policy := spec.RestartPolicy
	a.read("podRestartPolicy", &policy)
	if policy != "" {
		spec.RestartPolicy = policy
	}
	users := true
	a.read("hostUsers", &users)
	if !users {
		spec.HostUsers = &users
	}
}

func wholeSpec(a args, spec *core.PodSpec) {
	a.read("spec", spec)
	a.read("podSpec", spec)
}

func job(change func(a args, job *batch.JobSpec)) func(args) runtime.Object {
	return func(a args) runtime.Object {
		found := &batch.Job{ObjectMeta: meta("job")}
		found.Spec.Template.Spec = core.PodSpec{
			Containers: []core.Container{ctr("ctr")}, RestartPolicy: core.RestartPolicyNever,
		}
		change(a, &found.Spec)
		return found
	}
}

func cronJob(change func(a args, spec *batch.CronJobSpec)) func(args) runtime.Object {
	return func(a args) runtime.Object {
		found := &batch.CronJob{ObjectMeta: meta("cronjob")}
		found.Spec.Schedule = "0 * * * *"
		found.Spec.JobTemplate.Spec.Template.Spec = core.PodSpec{
			Containers: []core.Container{ctr("ctr")}, RestartPolicy: core.RestartPolicyNever,
		}
		change(a, &found.Spec)
		return found
	}
}

func whole[T any, P interface {
	*T
	runtime.Object
}](name string) func(args) runtime.Object {
	return func(a args) runtime.Object {
		found := P(new(T))
		a.read(name, found)
		return found
	}
}

var functions = map[string]func(args) runtime.Object{
	"ValidatePodCreate":             whole[core.Pod]("pod"),
	"ValidateReplicationController": whole[core.ReplicationController]("controller"),
	"ValidateDeployment":            whole[apps.Deployment]("obj"),
	"ValidateReplicaSet":            whole[apps.ReplicaSet]("rs"),
	"ValidateDaemonSet":             whole[apps.DaemonSet]("ds"),
	"ValidateStatefulSet":           whole[apps.StatefulSet]("statefulSet"),
	"ValidateJobCreate":             whole[batch.Job]("job"),
	"ValidateCronJobCreate":         whole[batch.CronJob]("cronJob"),
	"ValidatePodTemplateSpec": func(a args) runtime.Object {
		found := &core.PodTemplate{ObjectMeta: meta("template")}
		a.read("spec", &found.Template)
		return found
	},
	"ValidatePodSpec":                pod(wholeSpec),
	"validatePodResources":           pod(wholeSpec),
	"validatePodResourceConsistency": pod(wholeSpec),
	"validateHostUsers":              pod(wholeSpec),
	"validateOS":                     pod(wholeSpec),
	"validatePodHostName":            pod(wholeSpec),
	"validateFileKeyRefVolumes":      pod(wholeSpec),
	"validateWindowsHostProcessPod":  pod(wholeSpec),
	"ValidateVolumes":                pod(func(a args, spec *core.PodSpec) { a.read("volumes", &spec.Volumes) }),
	"validateVolumeSource": pod(func(a args, spec *core.PodSpec) {
		spec.Volumes = []core.Volume{{Name: "vol"}}
		a.read("source", &spec.Volumes[0].VolumeSource)
	}),
	"validateNFSVolumeSource": pod(func(a args, spec *core.PodSpec) {
		spec.Volumes = []core.Volume{{Name: "vol"}}
		a.read("nfs", &spec.Volumes[0].NFS)
	}),
	"validateCSIVolumeSource": pod(func(a args, spec *core.PodSpec) {
		spec.Volumes = []core.Volume{{Name: "vol"}}
		a.read("csi", &spec.Volumes[0].CSI)
	}),
	"validateKeyToPath": pod(func(a args, spec *core.PodSpec) {
		items := make([]core.KeyToPath, 1)
		a.read("kp", &items[0])
		source := &core.ConfigMapVolumeSource{LocalObjectReference: core.LocalObjectReference{Name: "c"}, Items: items}
		spec.Volumes = []core.Volume{{Name: "vol", VolumeSource: core.VolumeSource{ConfigMap: source}}}
	}),
	"ValidatePersistentVolumeClaimSpec": pod(func(a args, spec *core.PodSpec) {
		template := &core.PersistentVolumeClaimTemplate{}
		a.read("spec", &template.Spec)
		source := &core.EphemeralVolumeSource{VolumeClaimTemplate: template}
		spec.Volumes = []core.Volume{{Name: "vol", VolumeSource: core.VolumeSource{Ephemeral: source}}}
	}),
	"validateContainers": pod(func(a args, spec *core.PodSpec) {
		around(a, spec)
		spec.Containers = nil
		a.read("containers", &spec.Containers)
	}),
	"validateInitContainers": pod(func(a args, spec *core.PodSpec) {
		around(a, spec)
		a.read("containers", &spec.InitContainers)
		a.read("regularContainers", &spec.Containers)
		for i := range spec.Containers {
			if spec.Containers[i].Image == "" {
				spec.Containers[i].Image = "image"
			}
		}
	}),
	"ValidateVolumeMounts": pod(func(a args, spec *core.PodSpec) {
		around(a, spec)
		a.read("container", &spec.Containers[0])
		spec.Containers[0].Name, spec.Containers[0].Image = "ctr", "image"
		spec.Containers[0].VolumeMounts = nil
		a.read("mounts", &spec.Containers[0].VolumeMounts)
	}),
	"ValidateVolumeDevices": pod(func(a args, spec *core.PodSpec) {
		around(a, spec)
		a.read("devices", &spec.Containers[0].VolumeDevices)
	}),
	"ValidateEnv":     inContainer(func(a args, container *core.Container) { a.read("vars", &container.Env) }),
	"ValidateEnvFrom": inContainer(func(a args, container *core.Container) { a.read("vars", &container.EnvFrom) }),
	"validateEnvVarValueFrom": inContainer(func(a args, container *core.Container) {
		container.Env = make([]core.EnvVar, 1)
		a.read("ev", &container.Env[0])
		container.Env[0].Name = "A"
	}),
	"validateProbe": inContainer(func(a args, container *core.Container) { a.read("probe", &container.LivenessProbe) }),
	"validateHandler": inContainer(func(a args, container *core.Container) {
		container.Lifecycle = &core.Lifecycle{PreStop: &core.LifecycleHandler{}}
		a.read("handler", container.Lifecycle.PreStop)
	}),
	"validateContainerPorts": inContainer(func(a args, container *core.Container) { a.read("ports", &container.Ports) }),
	"validatePullPolicy":     inContainer(func(a args, container *core.Container) { a.read("policy", &container.ImagePullPolicy) }),
	"validateResizePolicy": pod(func(a args, spec *core.PodSpec) {
		around(a, spec)
		a.read("policyList", &spec.Containers[0].ResizePolicy)
	}),
	"ValidateSecurityContext": pod(func(a args, spec *core.PodSpec) {
		around(a, spec)
		a.read("sc", &spec.Containers[0].SecurityContext)
	}),
	"ValidateContainerResourceRequirements": pod(func(a args, spec *core.PodSpec) {
		around(a, spec)
		a.read("requirements", &spec.Containers[0].Resources)
	}),
	"validateDNSPolicy":     pod(func(a args, spec *core.PodSpec) { a.read("dnsPolicy", &spec.DNSPolicy) }),
	"validateRestartPolicy": pod(func(a args, spec *core.PodSpec) { a.read("restartPolicy", &spec.RestartPolicy) }),
	"validatePodDNSConfig": pod(func(a args, spec *core.PodSpec) {
		a.read("dnsConfig", &spec.DNSConfig)
		policy := spec.DNSPolicy
		a.read("dnsPolicy", &policy)
		spec.DNSPolicy = policy
	}),
	"validateReadinessGates": pod(func(a args, spec *core.PodSpec) { a.read("readinessGates", &spec.ReadinessGates) }),
	"ValidateTolerations":    pod(func(a args, spec *core.PodSpec) { a.read("tolerations", &spec.Tolerations) }),
	"validateTopologySpreadConstraints": pod(func(a args, spec *core.PodSpec) {
		a.read("constraints", &spec.TopologySpreadConstraints)
	}),
	"validateSchedulingGates": pod(func(a args, spec *core.PodSpec) { a.read("schedulingGates", &spec.SchedulingGates) }),
	"validateOverhead":        pod(func(a args, spec *core.PodSpec) { a.read("overhead", &spec.Overhead) }),
	"validateScheduleFormat": cronJob(func(a args, spec *batch.CronJobSpec) {
		a.read("schedule", &spec.Schedule)
		a.read("timeZone", &spec.TimeZone)
	}),
	"validateTimeZone": cronJob(func(a args, spec *batch.CronJobSpec) { a.read("timeZone", &spec.TimeZone) }),
	"validateIndexesFormat": job(func(a args, spec *batch.JobSpec) {
		indexed, text, completions := batch.IndexedCompletion, "", int32(0)
		a.read("indexesStr", &text)
		a.read("completions", &completions)
		spec.CompletionMode, spec.Completions = &indexed, &completions
		spec.SuccessPolicy = &batch.SuccessPolicy{Rules: []batch.SuccessPolicyRule{{SucceededIndexes: &text}}}
	}),
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "functions" {
		for _, name := range slices.Sorted(maps.Keys(functions)) {
			fmt.Println(name)
		}
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var asked row
		err := json.Unmarshal(lines.Bytes(), &asked)
		var found map[string]any
		if err == nil {
			found, err = versioned(functions[asked.Function](asked.Args))
		}
		if err == nil {
			err = out.Encode(object{asked.Test, asked.Function, found})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, asked.Test, err)
		}
	}
}

// versioned is an object as a client sends it, with a claim.
func versioned(internal runtime.Object) (map[string]any, error) {
	kinds, _, err := legacyscheme.Scheme.ObjectKinds(internal)
	if err != nil {
		return nil, err
	}
	kind := kinds[0]
	version := schema.GroupVersion{Group: kind.Group, Version: "v1"}
	object, err := legacyscheme.Scheme.ConvertToVersion(internal, version)
	if err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(version.WithKind(kind.Kind))
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	found := map[string]any{}
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, err
	}
	delete(found, "status")
	claim(found, kind.Kind)
	return found, nil
}

var places = map[string][]string{
	"Pod": {"spec"}, "PodTemplate": {"template", "spec"},
	"CronJob": {"spec", "jobTemplate", "spec", "template", "spec"},
}

// claim adds a claim to the pod of an object, where it has a pod without claims.
func claim(object map[string]any, kind string) {
	place, is := places[kind]
	if !is {
		place = []string{"spec", "template", "spec"}
	}
	for _, step := range place {
		inner, is := object[step].(map[string]any)
		if !is {
			return
		}
		object = inner
	}
	if object["resourceClaims"] == nil {
		object["resourceClaims"] = []any{map[string]any{"name": "dradsl", "resourceClaimName": "dradsl"}}
	}
}
