{{/* Parts that all pods share. */}}

{{/* First fields of a pod spec, for Pod Security `restricted`. Takes a dict: root, uid, token (true: mount the service account token), seccompProfile (default RuntimeDefault) */}}
{{- define "pilothouse.pod" -}}
automountServiceAccountToken: {{ .token | default false }}
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- if eq .root.Values.podUser "image" }}
  runAsUser: {{ .uid }}
  runAsGroup: {{ .uid }}
  fsGroup: {{ .uid }}
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
  seccompProfile: {{ toJson (.seccompProfile | default (dict "type" "RuntimeDefault")) }}
{{- end -}}

{{/* First fields of a container. */}}
{{- define "pilothouse.container" -}}
imagePullPolicy: {{ .Values.image.pullPolicy }}
terminationMessagePolicy: FallbackToLogsOnError
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* Scheduling fields of a pod. Takes values with any of nodeSelector, tolerations, affinity, priorityClassName, runtimeClassName */}}
{{- define "pilothouse.placement" -}}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "priorityClassName" "runtimeClassName" }}
{{- with get $ $key }}
{{ $key }}: {{ toJson . }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
Adds tolerations to the values of a stateless pod, so that it leaves an unreachable node after nodeLossTolerationSeconds instead of the five minutes
of Kubernetes. Tolerations in the values for the same taints take precedence. Takes a list: root, values
*/}}
{{- define "pilothouse.movable" -}}
{{- $values := index . 1 }}
{{- $own := get $values "tolerations" | default list }}
{{- $all := $own }}
{{- with (index . 0).Values.nodeLossTolerationSeconds }}
{{- $seconds := . }}
{{- range $taint := list "node.kubernetes.io/not-ready" "node.kubernetes.io/unreachable" }}
{{- $isSet := false }}
{{- range $own }}
{{- if and (has (.key | default "") (list "" $taint)) (has (.effect | default "") (list "" "NoExecute")) }}{{ $isSet = true }}{{ end }}
{{- end }}
{{- if not $isSet }}
{{- $all = append $all (dict "key" $taint "operator" "Exists" "effect" "NoExecute" "tolerationSeconds" $seconds) }}
{{- end }}
{{- end }}
{{- end }}
{{- merge (dict "tolerations" $all) $values | toJson }}
{{- end -}}

{{/*
Annotations of a pod whose only local volume is /tmp. They allow the cluster autoscaler to evict the pod in spite of that volume. Disruption budgets still
apply. Takes further annotations
*/}}
{{- define "pilothouse.evictable" -}}
{{ mergeOverwrite (dict "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes" "tmp") . | toJson }}
{{- end -}}

{{/*
Topology spread constraints of replicas; without any, pods of one version go to different nodes. Takes a list: constraints, labels as YAML
*/}}
{{- define "pilothouse.replicaSpread" -}}
{{- $version := dict "maxSkew" 1 "topologyKey" "kubernetes.io/hostname" "whenUnsatisfiable" "ScheduleAnyway" "matchLabelKeys" (list "pod-template-hash") }}
{{- include "pilothouse.spread" (list (index . 0 | default (list $version)) (index . 1)) }}
{{- end -}}

{{/* Topology spread constraints; adds a label selector to those without one. Takes a list: constraints, labels as YAML */}}
{{- define "pilothouse.spread" -}}
{{- $labels := fromYaml (index . 1) }}
{{- with index . 0 }}
topologySpreadConstraints:
  {{- range . }}
  - {{ merge (deepCopy .) (dict "labelSelector" (dict "matchLabels" $labels)) | toJson }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Environment of a container; extraEnv overrides the variables of the chart. Takes a list: variables of the chart as YAML, extraEnv */}}
{{- define "pilothouse.env" -}}
{{- $extra := index . 1 }}
{{- $named := list }}
{{- range $extra }}{{ $named = append $named .name }}{{ end }}
{{- range fromYamlArray (index . 0) }}
{{- if not (has .name $named) }}
- {{ toJson . }}
{{- end }}
{{- end }}
{{- range $extra }}
- {{ toJson . }}
{{- end }}
{{- end -}}

{{/* Environment variable from a Secret. Takes a list: variable, Secret, key */}}
{{- define "pilothouse.secretEnv" -}}
- name: {{ index . 0 }}
  valueFrom: { secretKeyRef: { name: {{ index . 1 }}, key: {{ index . 2 }} } }
{{- end -}}

{{/* Variables that API, controller and migrations share. */}}
{{- define "pilothouse.storeEnv" -}}
{{ include "pilothouse.secretEnv" (list "DATABASE_URL" (include "pilothouse.databaseSecret" .) (ternary .Values.database.secretKey "url" (ne .Values.database.existingSecret ""))) }}
- { name: LOG_LEVEL, value: {{ .Values.logLevel }} }
{{- if .Values.tls.existingSecret }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/pilothouse/tls/ca.crt }
{{- end }}
{{- end -}}

{{/*
The fleets with their tokens. Kubernetes replaces $(...) with a token, so that rendered manifests contain none. A change of the list restarts the pods.
*/}}
{{- define "pilothouse.fleetEnv" -}}
{{- $root := . }}
{{- $fleets := list }}
{{- range $name, $own := .Values.fleets }}
{{- if kindIs "map" $own }}
{{- $fleet := include "pilothouse.fleet" (list $root $own) | fromJson }}
{{- $variable := include "pilothouse.tokenVariable" $name }}
{{ include "pilothouse.secretEnv" (list $variable (include "pilothouse.keys" $root) (printf "fleet-%s" $name)) }}
{{- $config := pick $fleet "surface" "cooldownSeconds" "projects" "externalWorkers" }}
{{- $limits := dict "slots" $fleet.slotsPerWorker "minWorkers" $fleet.minWorkers "maxWorkers" $fleet.maxWorkers "idleSlots" $fleet.idleSlots "limitsManagedBy" "configuration" }}
{{- $fleets = append $fleets (merge (dict "name" $name "token" (printf "$(%s)" $variable)) $limits $config) }}
{{- end }}
{{- end }}
- { name: PILOTHOUSE_FLEETS, value: {{ toJson $fleets | toJson }} }
{{- end -}}

{{/* Volume mount and volume of the certificates for stores. */}}
{{- define "pilothouse.tlsMount" -}}
{{- if .Values.tls.existingSecret }}
- { name: tls, mountPath: /etc/pilothouse/tls, readOnly: true }
{{- end }}
{{- end -}}
{{- define "pilothouse.tlsVolume" -}}
{{- if .Values.tls.existingSecret }}
- name: tls
  secret: { secretName: {{ .Values.tls.existingSecret }}, defaultMode: 0440 }
{{- end }}
{{- end -}}
