"""What the libraries declare, in upstream's order: tables that `dradsl.cel.checker.functions` reads.

They are apart from what the functions do, which is imported once something is evaluated.
"""

from __future__ import annotations

__all__ = [
    "AUTHORIZER",
    "CIDR",
    "INCLUDES",
    "INCLUDES_136",
    "IP",
    "KUBERNETES_LISTS",
    "LISTS",
    "NAMED_FORMATS",
    "OPTIONALS",
    "QUANTITY",
    "REGEX",
    "SEMVER",
    "SETS",
    "STANDARD",
    "STRINGS",
    "TWO_VARIABLE",
    "URL",
]

STANDARD = """
!_                   logical_not                                (bool) -> bool
-_                   negate_double                              (double) -> double
-_                   negate_int64                               (int) -> int
@in                  in_list                                    (A, list(A)) -> bool
@in                  in_map                                     (A, map(A, B)) -> bool
@not_strictly_false  not_strictly_false                         (bool) -> bool
_!=_                 not_equals                                 (A, A) -> bool
_%_                  modulo_int64                               (int, int) -> int
_%_                  modulo_uint64                              (uint, uint) -> uint
_&&_                 logical_and                                (bool, bool) -> bool
_*_                  multiply_double                            (double, double) -> double
_*_                  multiply_int64                             (int, int) -> int
_*_                  multiply_uint64                            (uint, uint) -> uint
_+_                  add_bytes                                  (bytes, bytes) -> bytes
_+_                  add_double                                 (double, double) -> double
_+_                  add_duration_duration                      (duration, duration) -> duration
_+_                  add_duration_timestamp                     (duration, timestamp) -> timestamp
_+_                  add_timestamp_duration                     (timestamp, duration) -> timestamp
_+_                  add_int64                                  (int, int) -> int
_+_                  add_list                                   (list(A), list(A)) -> list(A)
_+_                  add_string                                 (string, string) -> string
_+_                  add_uint64                                 (uint, uint) -> uint
_-_                  subtract_double                            (double, double) -> double
_-_                  subtract_duration_duration                 (duration, duration) -> duration
_-_                  subtract_int64                             (int, int) -> int
_-_                  subtract_timestamp_duration                (timestamp, duration) -> timestamp
_-_                  subtract_timestamp_timestamp               (timestamp, timestamp) -> duration
_-_                  subtract_uint64                            (uint, uint) -> uint
_/_                  divide_double                              (double, double) -> double
_/_                  divide_int64                               (int, int) -> int
_/_                  divide_uint64                              (uint, uint) -> uint
_<=_                 less_equals_bool                           (bool, bool) -> bool
_<=_                 less_equals_int64                          (int, int) -> bool
_<=_                 less_equals_int64_double                   (int, double) -> bool
_<=_                 less_equals_int64_uint64                   (int, uint) -> bool
_<=_                 less_equals_uint64                         (uint, uint) -> bool
_<=_                 less_equals_uint64_double                  (uint, double) -> bool
_<=_                 less_equals_uint64_int64                   (uint, int) -> bool
_<=_                 less_equals_double                         (double, double) -> bool
_<=_                 less_equals_double_int64                   (double, int) -> bool
_<=_                 less_equals_double_uint64                  (double, uint) -> bool
_<=_                 less_equals_string                         (string, string) -> bool
_<=_                 less_equals_bytes                          (bytes, bytes) -> bool
_<=_                 less_equals_timestamp                      (timestamp, timestamp) -> bool
_<=_                 less_equals_duration                       (duration, duration) -> bool
_<_                  less_bool                                  (bool, bool) -> bool
_<_                  less_int64                                 (int, int) -> bool
_<_                  less_int64_double                          (int, double) -> bool
_<_                  less_int64_uint64                          (int, uint) -> bool
_<_                  less_uint64                                (uint, uint) -> bool
_<_                  less_uint64_double                         (uint, double) -> bool
_<_                  less_uint64_int64                          (uint, int) -> bool
_<_                  less_double                                (double, double) -> bool
_<_                  less_double_int64                          (double, int) -> bool
_<_                  less_double_uint64                         (double, uint) -> bool
_<_                  less_string                                (string, string) -> bool
_<_                  less_bytes                                 (bytes, bytes) -> bool
_<_                  less_timestamp                             (timestamp, timestamp) -> bool
_<_                  less_duration                              (duration, duration) -> bool
_==_                 equals                                     (A, A) -> bool
_>=_                 greater_equals_bool                        (bool, bool) -> bool
_>=_                 greater_equals_int64                       (int, int) -> bool
_>=_                 greater_equals_int64_double                (int, double) -> bool
_>=_                 greater_equals_int64_uint64                (int, uint) -> bool
_>=_                 greater_equals_uint64                      (uint, uint) -> bool
_>=_                 greater_equals_uint64_double               (uint, double) -> bool
_>=_                 greater_equals_uint64_int64                (uint, int) -> bool
_>=_                 greater_equals_double                      (double, double) -> bool
_>=_                 greater_equals_double_int64                (double, int) -> bool
_>=_                 greater_equals_double_uint64               (double, uint) -> bool
_>=_                 greater_equals_string                      (string, string) -> bool
_>=_                 greater_equals_bytes                       (bytes, bytes) -> bool
_>=_                 greater_equals_timestamp                   (timestamp, timestamp) -> bool
_>=_                 greater_equals_duration                    (duration, duration) -> bool
_>_                  greater_bool                               (bool, bool) -> bool
_>_                  greater_int64                              (int, int) -> bool
_>_                  greater_int64_double                       (int, double) -> bool
_>_                  greater_int64_uint64                       (int, uint) -> bool
_>_                  greater_uint64                             (uint, uint) -> bool
_>_                  greater_uint64_double                      (uint, double) -> bool
_>_                  greater_uint64_int64                       (uint, int) -> bool
_>_                  greater_double                             (double, double) -> bool
_>_                  greater_double_int64                       (double, int) -> bool
_>_                  greater_double_uint64                      (double, uint) -> bool
_>_                  greater_string                             (string, string) -> bool
_>_                  greater_bytes                              (bytes, bytes) -> bool
_>_                  greater_timestamp                          (timestamp, timestamp) -> bool
_>_                  greater_duration                           (duration, duration) -> bool
_?_:_                conditional                                (bool, A, A) -> A
_[_]                 index_list                                 (list(A), int) -> A
_[_]                 index_map                                  (map(A, B), A) -> B
_||_                 logical_or                                 (bool, bool) -> bool
bool                 bool_to_bool                               (bool) -> bool
bool                 string_to_bool                             (string) -> bool
bytes                bytes_to_bytes                             (bytes) -> bytes
bytes                string_to_bytes                            (string) -> bytes
contains             contains_string                            string.(string) -> bool
double               double_to_double                           (double) -> double
double               int64_to_double                            (int) -> double
double               string_to_double                           (string) -> double
double               uint64_to_double                           (uint) -> double
duration             duration_to_duration                       (duration) -> duration
duration             int64_to_duration                          (int) -> duration
duration             string_to_duration                         (string) -> duration
dyn                  to_dyn                                     (A) -> dyn
endsWith             ends_with_string                           string.(string) -> bool
getDate              timestamp_to_day_of_month_1_based          timestamp.() -> int
getDate              timestamp_to_day_of_month_1_based_with_tz  timestamp.(string) -> int
getDayOfMonth        timestamp_to_day_of_month                  timestamp.() -> int
getDayOfMonth        timestamp_to_day_of_month_with_tz          timestamp.(string) -> int
getDayOfWeek         timestamp_to_day_of_week                   timestamp.() -> int
getDayOfWeek         timestamp_to_day_of_week_with_tz           timestamp.(string) -> int
getDayOfYear         timestamp_to_day_of_year                   timestamp.() -> int
getDayOfYear         timestamp_to_day_of_year_with_tz           timestamp.(string) -> int
getFullYear          timestamp_to_year                          timestamp.() -> int
getFullYear          timestamp_to_year_with_tz                  timestamp.(string) -> int
getHours             timestamp_to_hours                         timestamp.() -> int
getHours             timestamp_to_hours_with_tz                 timestamp.(string) -> int
getHours             duration_to_hours                          duration.() -> int
getMilliseconds      timestamp_to_milliseconds                  timestamp.() -> int
getMilliseconds      timestamp_to_milliseconds_with_tz          timestamp.(string) -> int
getMilliseconds      duration_to_milliseconds                   duration.() -> int
getMinutes           timestamp_to_minutes                       timestamp.() -> int
getMinutes           timestamp_to_minutes_with_tz               timestamp.(string) -> int
getMinutes           duration_to_minutes                        duration.() -> int
getMonth             timestamp_to_month                         timestamp.() -> int
getMonth             timestamp_to_month_with_tz                 timestamp.(string) -> int
getSeconds           timestamp_to_seconds                       timestamp.() -> int
getSeconds           timestamp_to_seconds_tz                    timestamp.(string) -> int
getSeconds           duration_to_seconds                        duration.() -> int
int                  int64_to_int64                             (int) -> int
int                  double_to_int64                            (double) -> int
int                  duration_to_int64                          (duration) -> int
int                  string_to_int64                            (string) -> int
int                  timestamp_to_int64                         (timestamp) -> int
int                  uint64_to_int64                            (uint) -> int
matches              matches                                    (string, string) -> bool
matches              matches_string                             string.(string) -> bool
size                 size_bytes                                 (bytes) -> int
size                 bytes_size                                 bytes.() -> int
size                 size_list                                  (list(A)) -> int
size                 list_size                                  list(A).() -> int
size                 size_map                                   (map(A, B)) -> int
size                 map_size                                   map(A, B).() -> int
size                 size_string                                (string) -> int
size                 string_size                                string.() -> int
startsWith           starts_with_string                         string.(string) -> bool
string               string_to_string                           (string) -> string
string               bool_to_string                             (bool) -> string
string               bytes_to_string                            (bytes) -> string
string               double_to_string                           (double) -> string
string               duration_to_string                         (duration) -> string
string               int64_to_string                            (int) -> string
string               timestamp_to_string                        (timestamp) -> string
string               uint64_to_string                           (uint) -> string
timestamp            timestamp_to_timestamp                     (timestamp) -> timestamp
timestamp            int64_to_timestamp                         (int) -> timestamp
timestamp            string_to_timestamp                        (string) -> timestamp
type                 type                                       (A) -> type(A)
uint                 uint64_to_uint64                           (uint) -> uint
uint                 double_to_uint64                           (double) -> uint
uint                 int64_to_uint64                            (int) -> uint
uint                 string_to_uint64                           (string) -> uint
"""

URL = """
getEscapedPath  url_get_escaped_path  kubernetes.URL.() -> string
getHost         url_get_host          kubernetes.URL.() -> string
getHostname     url_get_hostname      kubernetes.URL.() -> string
getPort         url_get_port          kubernetes.URL.() -> string
getQuery        url_get_query         kubernetes.URL.() -> map(string, list(string))
getScheme       url_get_scheme        kubernetes.URL.() -> string
isURL           is_url_string         (string) -> bool
url             string_to_url         (string) -> kubernetes.URL
"""

REGEX = """
find     string_find_string          string.(string) -> string
findAll  string_find_all_string      string.(string) -> list(string)
findAll  string_find_all_string_int  string.(string, int) -> list(string)
"""

KUBERNETES_LISTS = """
indexOf      list_a_index_of_int            list(A).(A) -> int
isSorted     list_int_is_sorted_bool        list(int).() -> bool
isSorted     list_uint_is_sorted_bool       list(uint).() -> bool
isSorted     list_double_is_sorted_bool     list(double).() -> bool
isSorted     list_bool_is_sorted_bool       list(bool).() -> bool
isSorted     list_duration_is_sorted_bool   list(duration).() -> bool
isSorted     list_timestamp_is_sorted_bool  list(timestamp).() -> bool
isSorted     list_string_is_sorted_bool     list(string).() -> bool
isSorted     list_bytes_is_sorted_bool      list(bytes).() -> bool
lastIndexOf  list_a_last_index_of_int       list(A).(A) -> int
max          list_int_max_int               list(int).() -> int
max          list_uint_max_uint             list(uint).() -> uint
max          list_double_max_double         list(double).() -> double
max          list_bool_max_bool             list(bool).() -> bool
max          list_duration_max_duration     list(duration).() -> duration
max          list_timestamp_max_timestamp   list(timestamp).() -> timestamp
max          list_string_max_string         list(string).() -> string
max          list_bytes_max_bytes           list(bytes).() -> bytes
min          list_int_min_int               list(int).() -> int
min          list_uint_min_uint             list(uint).() -> uint
min          list_double_min_double         list(double).() -> double
min          list_bool_min_bool             list(bool).() -> bool
min          list_duration_min_duration     list(duration).() -> duration
min          list_timestamp_min_timestamp   list(timestamp).() -> timestamp
min          list_string_min_string         list(string).() -> string
min          list_bytes_min_bytes           list(bytes).() -> bytes
sum          list_int_sum_int               list(int).() -> int
sum          list_uint_sum_uint             list(uint).() -> uint
sum          list_double_sum_double         list(double).() -> double
sum          list_duration_sum_duration     list(duration).() -> duration
"""

AUTHORIZER = """
allowed         decision_allowed           kubernetes.authorization.Decision.() -> bool
check           pathcheck_check            kubernetes.authorization.PathCheck.(string) -> kubernetes.authorization.Decision
check           resourcecheck_check        kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.Decision
error           decision_error             kubernetes.authorization.Decision.() -> string
errored         decision_errored           kubernetes.authorization.Decision.() -> bool
fieldSelector   authorizer_fieldselector   kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck
group           authorizer_group           kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.GroupCheck
labelSelector   authorizer_labelselector   kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck
name            resourcecheck_name         kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck
namespace       resourcecheck_namespace    kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck
path            authorizer_path            kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.PathCheck
reason          decision_reason            kubernetes.authorization.Decision.() -> string
resource        groupcheck_resource        kubernetes.authorization.GroupCheck.(string) -> kubernetes.authorization.ResourceCheck
serviceAccount  authorizer_serviceaccount  kubernetes.authorization.Authorizer.(string, string) -> kubernetes.authorization.Authorizer
subresource     resourcecheck_subresource  kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck
"""
"""Declared in every environment, but no variable of a device selector has these types, so they have
nothing to work on (apiserver `pkg/cel/library/authz.go`).
"""

OPTIONALS = """
_[?_]                    list_optindex_optional_int            (list(V), int) -> optional_type(V)
_[?_]                    optional_list_optindex_optional_int   (optional_type(list(V)), int) -> optional_type(V)
_[?_]                    map_optindex_optional_value           (map(K, V), K) -> optional_type(V)
_[?_]                    optional_map_optindex_optional_value  (optional_type(map(K, V)), K) -> optional_type(V)
_[_]                     optional_list_index_int               (optional_type(list(V)), int) -> optional_type(V)
_[_]                     optional_map_index_value              (optional_type(map(K, V)), K) -> optional_type(V)
first                    list_first                            list(V).() -> optional_type(V)
hasValue                 optional_hasValue                     optional_type(V).() -> bool
last                     list_last                             list(V).() -> optional_type(V)
optional.none            optional_none                         () -> optional_type(V)
optional.of              optional_of                           (V) -> optional_type(V)
optional.ofNonZeroValue  optional_ofNonZeroValue               (V) -> optional_type(V)
optional.unwrap          optional_unwrap                       (list(optional_type(V))) -> list(V)
or                       optional_or_optional                  optional_type(V).(optional_type(V)) -> optional_type(V)
orValue                  optional_orValue_value                optional_type(V).(V) -> V
unwrapOpt                optional_unwrapOpt                    list(optional_type(V)).() -> list(V)
value                    optional_value                        optional_type(V).() -> V
"""

QUANTITY = """
add                 quantity_add              kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity
add                 quantity_add_int          kubernetes.Quantity.(int) -> kubernetes.Quantity
asApproximateFloat  quantity_get_float        kubernetes.Quantity.() -> double
asInteger           quantity_get_int          kubernetes.Quantity.() -> int
compareTo           quantity_compare_to       kubernetes.Quantity.(kubernetes.Quantity) -> int
isGreaterThan       quantity_is_greater_than  kubernetes.Quantity.(kubernetes.Quantity) -> bool
isInteger           quantity_is_integer       kubernetes.Quantity.() -> bool
isLessThan          quantity_is_less_than     kubernetes.Quantity.(kubernetes.Quantity) -> bool
isQuantity          is_quantity_string        (string) -> bool
quantity            string_to_quantity        (string) -> kubernetes.Quantity
sign                quantity_sign             (kubernetes.Quantity) -> int
sub                 quantity_sub              kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity
sub                 quantity_sub_int          kubernetes.Quantity.(int) -> kubernetes.Quantity
"""

STRINGS = """
charAt         string_char_at_int                string.(int) -> string
format         string_format                     string.(list(dyn)) -> string
indexOf        string_index_of_string            string.(string) -> int
indexOf        string_index_of_string_int        string.(string, int) -> int
join           list_join                         list(string).() -> string
join           list_join_string                  list(string).(string) -> string
lastIndexOf    string_last_index_of_string       string.(string) -> int
lastIndexOf    string_last_index_of_string_int   string.(string, int) -> int
lowerAscii     string_lower_ascii                string.() -> string
replace        string_replace_string_string      string.(string, string) -> string
replace        string_replace_string_string_int  string.(string, string, int) -> string
split          string_split_string               string.(string) -> list(string)
split          string_split_string_int           string.(string, int) -> list(string)
strings.quote  strings_quote                     (string) -> string
substring      string_substring_int              string.(int) -> string
substring      string_substring_int_int          string.(int, int) -> string
trim           string_trim                       string.() -> string
upperAscii     string_upper_ascii                string.() -> string
"""

SETS = """
sets.contains    list_sets_contains_list    (list(T), list(T)) -> bool
sets.equivalent  list_sets_equivalent_list  (list(T), list(T)) -> bool
sets.intersects  list_sets_intersects_list  (list(T), list(T)) -> bool
"""

IP = """
family                ip_family                   net.IP.() -> int
ip                    string_to_ip                (string) -> net.IP
ip.isCanonical        ip_is_canonical             (string) -> bool
isGlobalUnicast       ip_is_global_unicast        net.IP.() -> bool
isIP                  is_ip                       (string) -> bool
isLinkLocalMulticast  ip_is_link_local_multicast  net.IP.() -> bool
isLinkLocalUnicast    ip_is_link_local_unicast    net.IP.() -> bool
isLoopback            ip_is_loopback              net.IP.() -> bool
isUnspecified         ip_is_unspecified           net.IP.() -> bool
string                ip_to_string                (net.IP) -> string
"""

CIDR = """
cidr          string_to_cidr             (string) -> net.CIDR
containsCIDR  cidr_contains_cidr_string  net.CIDR.(string) -> bool
containsCIDR  cidr_contains_cidr         net.CIDR.(net.CIDR) -> bool
containsIP    cidr_contains_ip_string    net.CIDR.(string) -> bool
containsIP    cidr_contains_ip_ip        net.CIDR.(net.IP) -> bool
ip            cidr_ip                    net.CIDR.() -> net.IP
isCIDR        is_cidr                    (string) -> bool
masked        cidr_masked                net.CIDR.() -> net.CIDR
prefixLength  cidr_prefix_length         net.CIDR.() -> int
string        cidr_to_string             (net.CIDR) -> string
"""

NAMED_FORMATS = """
format.byte                    format.byte                    () -> kubernetes.NamedFormat
format.date                    format.date                    () -> kubernetes.NamedFormat
format.datetime                format.datetime                () -> kubernetes.NamedFormat
format.dns1035Label            format.dns1035Label            () -> kubernetes.NamedFormat
format.dns1035LabelPrefix      format.dns1035LabelPrefix      () -> kubernetes.NamedFormat
format.dns1123Label            format.dns1123Label            () -> kubernetes.NamedFormat
format.dns1123LabelPrefix      format.dns1123LabelPrefix      () -> kubernetes.NamedFormat
format.dns1123Subdomain        format.dns1123Subdomain        () -> kubernetes.NamedFormat
format.dns1123SubdomainPrefix  format.dns1123SubdomainPrefix  () -> kubernetes.NamedFormat
format.labelValue              format.labelValue              () -> kubernetes.NamedFormat
format.named                   format-named                   (string) -> optional_type(kubernetes.NamedFormat)
format.qualifiedName           format.qualifiedName           () -> kubernetes.NamedFormat
format.uri                     format.uri                     () -> kubernetes.NamedFormat
format.uuid                    format.uuid                    () -> kubernetes.NamedFormat
validate                       format-validate                kubernetes.NamedFormat.(string) -> optional_type(list(string))
"""

TWO_VARIABLE = """
cel.@mapInsert  @mapInsert_map_key_value  (map(K, V), K, V) -> map(K, V)
cel.@mapInsert  @mapInsert_map_map        (map(K, V), map(K, V)) -> map(K, V)
"""

SEMVER = """
compareTo      semver_compare_to       kubernetes.Semver.(kubernetes.Semver) -> int
isGreaterThan  semver_is_greater_than  kubernetes.Semver.(kubernetes.Semver) -> bool
isLessThan     semver_is_less_than     kubernetes.Semver.(kubernetes.Semver) -> bool
isSemver       is_semver_string        (string) -> bool
isSemver       is_semver_string_bool   (string, bool) -> bool
major          semver_major            kubernetes.Semver.() -> int
minor          semver_minor            kubernetes.Semver.() -> int
patch          semver_patch            kubernetes.Semver.() -> int
semver         string_to_semver        (string) -> kubernetes.Semver
semver         string_bool_to_semver   (string, bool) -> kubernetes.Semver
"""

LISTS = """
@sortByAssociatedKeys  list_int_sortByAssociatedKeys                        list(T).(list(int)) -> list(T)
@sortByAssociatedKeys  list_uint_sortByAssociatedKeys                       list(T).(list(uint)) -> list(T)
@sortByAssociatedKeys  list_double_sortByAssociatedKeys                     list(T).(list(double)) -> list(T)
@sortByAssociatedKeys  list_bool_sortByAssociatedKeys                       list(T).(list(bool)) -> list(T)
@sortByAssociatedKeys  list_google.protobuf.Duration_sortByAssociatedKeys   list(T).(list(duration)) -> list(T)
@sortByAssociatedKeys  list_google.protobuf.Timestamp_sortByAssociatedKeys  list(T).(list(timestamp)) -> list(T)
@sortByAssociatedKeys  list_string_sortByAssociatedKeys                     list(T).(list(string)) -> list(T)
@sortByAssociatedKeys  list_bytes_sortByAssociatedKeys                      list(T).(list(bytes)) -> list(T)
distinct               list_distinct                                        list(T).() -> list(T)
flatten                list_flatten                                         list(list(T)).() -> list(T)
flatten                list_flatten_int                                     list(dyn).(int) -> list(dyn)
lists.range            lists_range                                          (int) -> list(int)
reverse                list_reverse                                         list(T).() -> list(T)
slice                  list_slice                                           list(T).(int, int) -> list(T)
sort                   list_int_sort                                        list(int).() -> list(int)
sort                   list_uint_sort                                       list(uint).() -> list(uint)
sort                   list_double_sort                                     list(double).() -> list(double)
sort                   list_bool_sort                                       list(bool).() -> list(bool)
sort                   list_google.protobuf.Duration_sort                   list(duration).() -> list(duration)
sort                   list_google.protobuf.Timestamp_sort                  list(timestamp).() -> list(timestamp)
sort                   list_string_sort                                     list(string).() -> list(string)
sort                   list_bytes_sort                                      list(bytes).() -> list(bytes)
"""

INCLUDES_136 = """
includes  dra_includes_dyn_dyn  dyn.(dyn) -> bool
"""

INCLUDES = """
includes  list_includes_dyn_dyn  dyn.(dyn) -> bool
"""
