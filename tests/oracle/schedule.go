package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clientgotesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

func init() { subjects["schedule"] = askSchedule }

type scheduleQuestion struct {
	Pods    []*v1.Pod                    `json:"pods"`
	Running []*v1.Pod                    `json:"running"`
	Nodes   []*v1.Node                   `json:"nodes"`
	Slices  []*resourceapi.ResourceSlice `json:"slices"`
	Classes []*resourceapi.DeviceClass   `json:"classes"`
	Claims  []*resourceapi.ResourceClaim `json:"claims"`
	Rules   []json.RawMessage            `json:"taintRules"`
}

// cluster is the plugin with a fake API server that holds the objects of one question.
type cluster struct {
	ctx       context.Context
	client    *fake.Clientset
	plugin    *dynamicresources.DynamicResources
	nodeInfos []*framework.NodeInfo
	claims    *assumecache.AssumeCache
}

// statusReply tells how the plugin answered at one extension point.
type statusReply struct {
	Code    string   `json:"code"`
	Reasons []string `json:"reasons,omitempty"`
}

func shown(status *fwk.Status) statusReply {
	if status == nil {
		return statusReply{Code: "Success"}
	}
	return statusReply{status.Code().String(), inOrder(status.Reasons())}
}

// inOrder sorts what upstream finds in a map and names after all else: the huge pages that are lacking.
func inOrder(reasons []string) []string {
	from := 0
	for from < len(reasons) && !strings.HasPrefix(reasons[from], "Insufficient hugepages-") {
		from++
	}
	sorted := append([]string{}, reasons...)
	sort.Strings(sorted[from:])
	return sorted
}

var registerMetrics sync.Once

// firstVersion is the resource version of the objects that a question brings along.
const firstVersion = 100

// bindLimit is longer than anything in PreBind that does not wait for a driver.
const bindLimit = 1500 * time.Millisecond

func askSchedule(q *question) ([]answer, error) {
	var in scheduleQuestion
	if err := json.Unmarshal(q.raw, &in); err != nil {
		return nil, err
	}
	if err := q.applyGates(); err != nil {
		return nil, err
	}
	registerMetrics.Do(metrics.Register)
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), klog.Background()))
	world, shutdown, err := start(ctx, &in)
	defer func() {
		cancel()
		if shutdown != nil {
			shutdown()
		}
	}()
	if err != nil {
		return nil, err
	}
	replies := make([]answer, 0, len(in.Pods))
	for _, pod := range in.Pods {
		replies = append(replies, world.schedule(pod))
	}
	return replies, nil
}

func start(ctx context.Context, in *scheduleQuestion) (*cluster, func(), error) {
	client, err := fakeClient(in)
	if err != nil {
		return nil, nil, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	features := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	tracker, err := resourceslicetracker.StartTracker(ctx, trackerOptions(client, factory))
	if err != nil {
		return nil, nil, err
	}
	claims := assumecache.NewAssumeCache(
		klog.FromContext(ctx), factory.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	synced := []cache.InformerSynced{
		tracker.HasSynced, claims.AddEventHandler(cache.ResourceEventHandlerFuncs{}).HasSynced}
	manager := dynamicresources.NewDRAManager(ctx, claims, tracker, factory)
	factory.Core().V1().Pods().Informer()
	if resolver := classResolver(manager); resolver != nil {
		registration, err := factory.Resource().V1().DeviceClasses().Informer().AddEventHandler(resolver)
		if err != nil {
			return nil, nil, err
		}
		synced = append(synced, registration.HasSynced)
	}
	options := append([]frameworkruntime.Option{
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
		frameworkruntime.WithSharedDRAManager(manager),
	}, frameworkOptions(ctx)...)
	handle, err := frameworkruntime.NewFramework(ctx, nil, nil, options...)
	if err != nil {
		return nil, nil, err
	}
	args := &config.DynamicResourcesArgs{}
	if features.EnableDRASchedulerFilterTimeout {
		args.FilterTimeout = &metav1.Duration{Duration: defaultTimeout}
	}
	plugin, err := dynamicresources.New(ctx, args, handle, features)
	if err != nil {
		return nil, nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for _, isSynced := range synced {
		for !isSynced() {
			time.Sleep(time.Millisecond)
		}
	}
	world := &cluster{ctx: ctx, client: client, plugin: plugin.(*dynamicresources.DynamicResources), claims: claims}
	for _, node := range in.Nodes {
		info := framework.NewNodeInfo()
		info.SetNode(node)
		for _, pod := range in.Running {
			if pod.Spec.NodeName == node.Name {
				info.AddPod(pod)
			}
		}
		world.nodeInfos = append(world.nodeInfos, info)
	}
	return world, factory.Shutdown, nil
}

func fakeClient(in *scheduleQuestion) (*fake.Clientset, error) {
	var objects []runtime.Object
	for _, class := range in.Classes {
		objects = append(objects, class)
	}
	for _, slice := range in.Slices {
		objects = append(objects, slice)
	}
	for _, claim := range in.Claims {
		identify(claim, "claim")
		objects = append(objects, claim)
	}
	for _, pod := range in.Pods {
		identify(pod, "pod")
		objects = append(objects, pod)
	}
	for _, pod := range in.Running {
		identify(pod, "pod")
		objects = append(objects, pod)
	}
	for _, node := range in.Nodes {
		objects = append(objects, node)
	}
	for _, raw := range in.Rules {
		rule, err := taintRule(raw)
		if err != nil {
			return nil, fmt.Errorf("taintRules: %w", err)
		}
		objects = append(objects, rule)
	}
	client := fake.NewSimpleClientset(objects...)
	client.PrependReactor("*", "resourceclaims", serve(client.Tracker()))
	client.PrependReactor("patch", "pods", servePods(client.Tracker()))
	return client, nil
}

// identify gives an object the UID that the API server would have given, where a question leaves it out.
func identify(object metav1.Object, kind string) {
	if object.GetNamespace() == "" {
		object.SetNamespace("default")
	}
	if object.GetUID() == "" {
		object.SetUID(types.UID(kind + "-" + object.GetNamespace() + "-" + object.GetName()))
	}
	if object.GetResourceVersion() == "" {
		object.SetResourceVersion(strconv.Itoa(firstVersion))
	}
}

// serve does what the API server does on writes and the fake one does not: names, UIDs and
// resource versions, always the same ones, and a conflict for who writes what has changed since.
func serve(tracker clientgotesting.ObjectTracker) clientgotesting.ReactionFunc {
	created, version := 0, firstVersion
	next := func() string {
		version++
		return strconv.Itoa(version)
	}
	return func(action clientgotesting.Action) (bool, runtime.Object, error) {
		var object runtime.Object
		switch action := action.(type) {
		case clientgotesting.CreateActionImpl:
			object = action.GetObject()
		case clientgotesting.UpdateActionImpl:
			object = action.GetObject()
			if err := refusal(tracker, action); err != nil {
				return true, nil, err
			}
		case clientgotesting.PatchActionImpl:
			return patched(tracker, action, next)
		}
		claim, ok := object.(*resourceapi.ResourceClaim)
		if !ok {
			return false, nil, nil
		}
		if claim.Name == "" {
			claim.Name = fmt.Sprintf("%s%d", claim.GenerateName, created)
			created++
		}
		identify(claim, "claim")
		claim.ResourceVersion = next()
		return false, nil, nil
	}
}

// refusal is the error for an update of a claim that is not the stored one any more, and for one by
// which a consumer holds a claim twice, or a claim has too many of them. All else that the plugin writes is taken to be valid.
func refusal(tracker clientgotesting.ObjectTracker, action clientgotesting.UpdateActionImpl) error {
	claim, ok := action.GetObject().(*resourceapi.ResourceClaim)
	if !ok {
		return nil
	}
	object, err := tracker.Get(action.GetResource(), action.GetNamespace(), claim.Name)
	if err != nil {
		return err
	}
	stored, ok := object.(*resourceapi.ResourceClaim)
	if !ok {
		return nil
	}
	if stored.ResourceVersion != claim.ResourceVersion {
		return apierrors.NewConflict(action.GetResource().GroupResource(), claim.Name, errChanged)
	}
	if action.GetSubresource() != "status" {
		return nil
	}
	return refusedReservation(claim, stored)
}

func refusedReservation(claim, stored *resourceapi.ResourceClaim) error {
	kind := resourceapi.SchemeGroupVersion.WithKind("ResourceClaim")
	chosen := claimStatusStrategy(namespaces(claim.Namespace, nil))
	problems, err := statusErrors(claim, stored, kind, chosen, "status.reservedFor")
	if err != nil {
		return err
	}
	var found field.ErrorList
	for _, problem := range problems {
		if problem.Type == field.ErrorTypeDuplicate || problem.Type == field.ErrorTypeTooMany {
			found = append(found, problem)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return apierrors.NewInvalid(kind.GroupKind(), claim.Name, found)
}

// statusErrors are the problems of a field that validation finds in a new status of an object.
func statusErrors(
	object, old runtime.Object, kind schema.GroupVersionKind, chosen strategy, at string,
) (field.ErrorList, error) {
	hub := schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal}
	written, err := legacyscheme.Scheme.ConvertToVersion(object.DeepCopyObject(), hub)
	if err != nil {
		return nil, err
	}
	stored, err := legacyscheme.Scheme.ConvertToVersion(old.DeepCopyObject(), hub)
	if err != nil {
		return nil, err
	}
	accessor, err := meta.Accessor(stored)
	if err != nil {
		return nil, err
	}
	var found field.ErrorList
	for _, problem := range updateErrors(requestContext(accessor.GetNamespace(), &kind, "status"), chosen, written, stored) {
		if strings.HasPrefix(problem.Field, at) {
			found = append(found, problem)
		}
	}
	return found, nil
}

var errChanged = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// patched applies a patch and gives the claim a new resource version, so that caches notice.
func patched(
	tracker clientgotesting.ObjectTracker, action clientgotesting.PatchActionImpl, next func() string,
) (bool, runtime.Object, error) {
	handled, object, err := clientgotesting.ObjectReaction(tracker)(action)
	claim, ok := object.(*resourceapi.ResourceClaim)
	if err != nil || !ok {
		return handled, object, err
	}
	claim.ResourceVersion = next()
	return true, claim, tracker.Update(action.GetResource(), claim, action.GetNamespace())
}

// servePods patches the status of pods, and takes a patch back that a real API server refuses because
// of what it says about resources of nodes.
func servePods(tracker clientgotesting.ObjectTracker) clientgotesting.ReactionFunc {
	return func(action clientgotesting.Action) (bool, runtime.Object, error) {
		patch, ok := action.(clientgotesting.PatchActionImpl)
		if !ok {
			return false, nil, nil
		}
		old, err := tracker.Get(patch.GetResource(), patch.GetNamespace(), patch.GetName())
		if err != nil {
			return true, nil, err
		}
		old = old.DeepCopyObject()
		handled, object, err := clientgotesting.ObjectReaction(tracker)(patch)
		if err != nil {
			return handled, object, err
		}
		kind := v1.SchemeGroupVersion.WithKind("Pod")
		found, err := statusErrors(object, old, kind, podStatusStrategy(), "status.nodeAllocatableResourceClaimStatuses")
		if err == nil && len(found) > 0 {
			err = apierrors.NewInvalid(kind.GroupKind(), patch.GetName(), found)
		}
		if err != nil {
			if undone := tracker.Update(patch.GetResource(), old, patch.GetNamespace()); undone != nil {
				return true, nil, undone
			}
			return true, nil, err
		}
		return handled, object, nil
	}
}

// schedule runs one pod through the extension points up to the API writes of PreBind.
func (c *cluster) schedule(pod *v1.Pod) (reply answer) {
	reply = answer{"pod": pod.Namespace + "/" + pod.Name, "chosen": nil}
	defer func() {
		if crash := recover(); crash != nil {
			traceCrash()
			reply["error"], reply["errorKind"] = fmt.Sprintf("panic: %v", crash), "crash"
		}
	}()
	c.settle(pod.Namespace)
	if status := c.plugin.PreEnqueue(c.ctx, pod); !status.IsSuccess() {
		reply["preEnqueue"] = shown(status)
		return reply
	}
	state := framework.NewCycleState()
	infos := make([]fwk.NodeInfo, 0, len(c.nodeInfos))
	for _, info := range c.nodeInfos {
		infos = append(infos, info)
	}
	_, status := c.plugin.PreFilter(c.ctx, state, pod, infos)
	reply["preFilter"] = shown(status)
	if !status.IsSuccess() {
		return reply
	}
	feasible := c.filter(state, pod, reply)
	if len(feasible) == 0 {
		return reply
	}
	chosen := c.choose(state, pod, feasible, reply)
	reply["chosen"] = chosen
	pod = assume(c.ctx, state, pod, chosen)
	reserved := c.plugin.Reserve(c.ctx, state, pod, chosen)
	reply["reserve"] = shown(reserved)
	if !reserved.IsSuccess() {
		c.plugin.Unreserve(c.ctx, state, pod, chosen)
		return reply
	}
	c.bind(state, pod, chosen, reply)
	return reply
}

// filter asks for every node in the order given, so that upstream's caches fill the same way.
func (c *cluster) filter(state *framework.CycleState, pod *v1.Pod, reply answer) []*framework.NodeInfo {
	var feasible []*framework.NodeInfo
	nodes := []answer{}
	for _, info := range c.nodeInfos {
		status := c.plugin.Filter(c.ctx, state, pod, info)
		seen := shown(status)
		node := answer{"node": info.Node().Name, "code": seen.Code}
		if len(seen.Reasons) > 0 {
			node["reasons"] = seen.Reasons
		}
		nodes = append(nodes, node)
		if status.IsSuccess() {
			feasible = append(feasible, info)
		}
	}
	reply["nodes"] = nodes
	return feasible
}

// choose takes the node with the highest score of this plugin alone, the first of those in the order given.
func (c *cluster) choose(state *framework.CycleState, pod *v1.Pod, feasible []*framework.NodeInfo, reply answer) string {
	chosen, best := feasible[0].Node().Name, int64(-1)
	scores := answer{}
	for _, info := range feasible {
		points, status, asked := score(c.ctx, c.plugin, state, pod, info)
		if !asked {
			return chosen
		}
		name := info.Node().Name
		if !status.IsSuccess() {
			scores[name] = shown(status)
			continue
		}
		scores[name] = points
		if points > best {
			chosen, best = name, points
		}
	}
	reply["scores"] = scores
	return chosen
}

// settle waits until the plugin's cache knows of all writes so far: there is no API server that would
// refuse an update of what has changed in between.
func (c *cluster) settle(namespace string) {
	list, err := c.client.ResourceV1().ResourceClaims(namespace).List(c.ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	deadline := time.Now().Add(time.Second)
	for _, claim := range list.Items {
		for time.Now().Before(deadline) {
			known, err := c.claims.Get(claim.Namespace + "/" + claim.Name)
			if cached, ok := known.(*resourceapi.ResourceClaim); err == nil && ok && cached.ResourceVersion == claim.ResourceVersion {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	c.settleDeleted(deadline)
}

// settleDeleted waits until the cache has no claim any more that the API server does not have.
func (c *cluster) settleDeleted(deadline time.Time) {
	list, err := c.client.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(c.ctx, metav1.ListOptions{})
	waited := false
	for err == nil && len(c.claims.List(nil)) > len(list.Items) && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
		waited = true
	}
	if waited {
		time.Sleep(time.Millisecond) // those who follow the cache are told after it
	}
}

// bind lets the plugin write the claims. Binding conditions make it wait for a driver that is not
// there, so that it is cut short; what it wrote before is in the answer.
func (c *cluster) bind(state *framework.CycleState, pod *v1.Pod, chosen string, reply answer) {
	limited, cancel := context.WithTimeout(c.ctx, bindLimit)
	defer cancel()
	bound := c.plugin.PreBind(limited, state, pod, chosen)
	if limited.Err() != nil {
		reply["preBind"] = statusReply{Code: "Wait"}
	} else {
		reply["preBind"] = shown(bound)
		if !bound.IsSuccess() {
			// The pod goes back to the queue.
			c.plugin.Unreserve(c.ctx, state, pod, chosen)
			reply["claims"] = c.written(pod)
			return
		}
	}
	reply["claims"] = c.written(pod)
	if current, err := c.client.CoreV1().Pods(pod.Namespace).Get(c.ctx, pod.Name, metav1.GetOptions{}); err == nil {
		if extended := current.Status.ExtendedResourceClaimStatus; extended != nil {
			reply["extendedResourceClaimStatus"] = extended
		}
		showTaken(current, reply)
	}
	for _, info := range c.nodeInfos {
		if info.Node().Name == chosen {
			info.AddPod(pod)
		}
	}
}

func (c *cluster) written(pod *v1.Pod) []any {
	list, err := c.client.ResourceV1().ResourceClaims(pod.Namespace).List(c.ctx, metav1.ListOptions{})
	if err != nil {
		return nil
	}
	written := []any{}
	names := claimNames(pod)
	sort.Slice(list.Items, func(i, j int) bool { return list.Items[i].Name < list.Items[j].Name })
	for i := range list.Items {
		claim := &list.Items[i]
		reserved := false
		for _, consumer := range claim.Status.ReservedFor {
			reserved = reserved || consumer.UID == pod.UID
		}
		if !reserved && !names[claim.Name] && !strings.HasPrefix(claim.Name, pod.Name+"-extended-resources-") {
			continue
		}
		entry := answer{"namespace": claim.Namespace, "name": claim.Name, "reservedFor": claim.Status.ReservedFor}
		if allocation := claim.Status.Allocation; allocation != nil {
			allocation.AllocationTimestamp = nil
			for j := range allocation.Devices.Results {
				if allocation.Devices.Results[j].ShareID != nil {
					id := sameShareID
					allocation.Devices.Results[j].ShareID = &id
				}
			}
			entry["allocation"] = allocation
		}
		if len(claim.Annotations) > 0 {
			entry["annotations"], entry["spec"] = claim.Annotations, claim.Spec
		}
		written = append(written, entry)
	}
	return written
}

// claimNames are the claims that a pod names, itself or in its status.
func claimNames(pod *v1.Pod) map[string]bool {
	names := map[string]bool{}
	for _, entry := range pod.Spec.ResourceClaims {
		if entry.ResourceClaimName != nil {
			names[*entry.ResourceClaimName] = true
		}
	}
	for _, status := range pod.Status.ResourceClaimStatuses {
		if status.ResourceClaimName != nil {
			names[*status.ResourceClaimName] = true
		}
	}
	return names
}
