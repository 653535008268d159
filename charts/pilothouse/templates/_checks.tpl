{{/* Fails on combinations of values that the schema cannot check, and says what to do. */}}
{{- define "pilothouse.checks" -}}
{{- range $name, $own := .Values.fleets }}
{{- if not (regexMatch "^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$" $name) }}{{ fail (printf "fleets.%s.name: use 1 to 32 lower-case letters, digits and hyphens as the name of a fleet, e.g. office-2." $name) }}{{ end }}
{{- end }}
{{- if and .Values.objectStore.existingSecret (not .Values.objectStore.endpoint) }}{{ fail "objectStore.endpoint: set the URL of the store. It is required with objectStore.existingSecret." }}{{ end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}{{ fail "ingress.host: set a host name. It is required with ingress.enabled." }}{{ end }}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) }}{{ fail "httpRoute.parentRefs: name a Gateway. It is required with httpRoute.enabled." }}{{ end }}
{{- if not .Values.database.existingSecret }}{{ include "pilothouse.checkVolume" (list . "postgresql" "database.bundled") }}{{ end }}
{{- if not .Values.redis.existingSecret }}{{ include "pilothouse.checkVolume" (list . "redis" "redis.bundled") }}{{ end }}
{{- if not .Values.objectStore.existingSecret }}{{ include "pilothouse.checkVolume" (list . "objects" "objectStore.bundled") }}{{ end }}
{{- end -}}

{{/* Converts a Kubernetes quantity to bytes. */}}
{{- define "pilothouse.bytes" -}}
{{- $factors := dict "" 1.0 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 }}
{{- mulf (regexFind "^[0-9.]+" . | float64) (get $factors (regexFind "[a-zA-Z]*$" .)) | int64 }}
{{- end -}}

{{/* Fails when the size or class of an existing volume differs from the values: Kubernetes cannot change a volume claim template. Takes a list: root, component, path of the values with storage and storageClass */}}
{{- define "pilothouse.checkVolume" -}}
{{- $root := index . 0 }}
{{- $namespace := $root.Release.Namespace }}
{{- $name := printf "%s-%s" (include "pilothouse.name" $root) (index . 1) }}
{{- $values := index $root.Values (index . 2 | splitList "." | first) "bundled" }}
{{- range dig "spec" "volumeClaimTemplates" list (lookup "apps/v1" "StatefulSet" $namespace $name) }}
{{- $size := .spec.resources.requests.storage }}
{{- if ne (include "pilothouse.bytes" $size) (include "pilothouse.bytes" $values.storage) }}
{{- $claim := printf "data-%s-0" $name }}
{{- $patch := printf "'{\"spec\":{\"resources\":{\"requests\":{\"storage\":%q}}}}'" $values.storage }}
{{- fail (printf "%s.storage: the StatefulSet %s was created with %s, and Kubernetes cannot change it. To grow the volume (its storage class must allow expansion):\n  kubectl -n %s patch pvc %s -p %s\n  kubectl -n %s delete statefulset %s --cascade=orphan\nThen repeat this upgrade. A volume cannot shrink." (index $ 2) $name $size $namespace $claim $patch $namespace $name) }}
{{- end }}
{{- if ne (.spec.storageClassName | default "") $values.storageClass }}
{{- fail (printf "%s.storageClass: the StatefulSet %s was created with %q, and Kubernetes cannot change it. Restore the old value. To move the data, restore a backup into a new installation." (index $ 2) $name (.spec.storageClassName | default "")) }}
{{- end }}
{{- end }}
{{- end -}}
