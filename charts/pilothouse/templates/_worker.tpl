{{/*
Pod template of a worker. The controller adds the name, the worker name, the join token, the template hash and the owner. Takes a list: root, name of the fleet, the fleet
merged with fleetDefaults
*/}}
{{- define "pilothouse.worker" -}}
{{- $root := index . 0 }}
{{- $fleetName := index . 1 }}
{{- $fleet := index . 2 }}
{{- $surfaceImage := get $root.Values.image.worker $fleet.surface | default dict }}
{{- if or $fleet.image.repository $fleet.image.tag }}{{ $surfaceImage = omit $surfaceImage "digest" }}{{ end }}
{{- $image := merge (pick $fleet.image "repository" "tag" "digest") $surfaceImage }}
{{- if not $image.repository }}{{ fail (printf "fleets.%s: set image.repository, because image.worker has no image for the surface %s" $fleetName $fleet.surface) }}{{ end }}
{{- if gt (int $fleet.minWorkers) (int $fleet.maxWorkers) }}{{ fail (printf "fleets.%s: minWorkers must not exceed maxWorkers" $fleetName) }}{{ end }}
{{- $seccomp := $fleet.seccompProfile }}
{{- if and (eq $seccomp.type "Localhost") (not $seccomp.localhostProfile) }}{{ fail (printf "fleets.%s.seccompProfile: set localhostProfile. It is required with the type Localhost." $fleetName) }}{{ end }}
{{- if ne $seccomp.type "Localhost" }}{{ $seccomp = pick $seccomp "type" }}{{ end }}
{{- if and (eq $fleet.chromiumSandbox "on") (eq $seccomp.type "RuntimeDefault") }}{{ fail (printf "fleets.%s.chromiumSandbox: on needs a seccompProfile that allows user namespaces. RuntimeDefault forbids them, and Chromium would not start." $fleetName) }}{{ end }}
metadata:
  labels:
    {{- include "pilothouse.selector" (list $root "worker") | nindent 4 }}
    pilothouse.dev/fleet: {{ $fleetName }}
    {{- with $fleet.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $fleet.annotations }}
  annotations: {{ toJson . }}
  {{- end }}
spec:
  {{- include "pilothouse.pod" (dict "root" $root "uid" 10001 "seccompProfile" $seccomp) | nindent 2 }}
  {{- with include "pilothouse.placement" $fleet | trim }}{{ . | nindent 2 }}{{ end }}
  {{- $same := printf "%s\npilothouse.dev/fleet: %s" (include "pilothouse.selector" (list $root "worker")) $fleetName }}
  {{- with include "pilothouse.spread" (list $fleet.topologySpread $same) | trim }}{{ . | nindent 2 }}{{ end }}
  # The controller replaces exited workers.
  restartPolicy: Never
  # Longer than the shutdown of the worker, which finishes its step and sends its last messages.
  terminationGracePeriodSeconds: {{ add (int $fleet.drainGraceSeconds) 20 }}
  {{- $slots := ternary (int $fleet.slotsPerWorker) 0 (eq $fleet.surface "desktop") }}
  {{- if and (gt $slots 1) (ne $root.Values.podUser "image") }}{{ fail (printf "fleets.%s: set slotsPerWorker to 1. With podUser platform, all slots of a pod have one user." $fleetName) }}{{ end }}
  {{- if gt $slots 64 }}{{ fail (printf "fleets.%s: set slotsPerWorker to at most 64, the number of users in the desktop image" $fleetName) }}{{ end }}
  {{- if $slots }}
  # Desktop sessions: one container per slot, without the token of the fleet. They restart on their own and end with the pod.
  initContainers:
    {{- range $slot := until $slots }}
    - name: slot-{{ $slot }}
      image: {{ include "pilothouse.image" (list $root $image) }}
      restartPolicy: Always
      # As process 1: it ends all processes of the container.
      command: [node, --disable-sigusr1, dist/worker/desktop-slot.js, /run/pilothouse/slot-{{ $slot }}/worker.sock, /home/desktop, /tmp, /dev/shm]
      {{- include "pilothouse.container" $root | nindent 6 }}
        {{- if eq $root.Values.podUser "image" }}
        runAsUser: {{ add 10101 $slot }}
        runAsGroup: {{ add 10101 $slot }}
        {{- end }}
      env:
        {{- include "pilothouse.secretEnv" (list "PILOTHOUSE_SLOT_KEY" (include "pilothouse.keys" $root) "slot-key") | nindent 8 }}
      resources: {{ toJson $fleet.slotResources }}
      volumeMounts:
        - { name: slot-{{ $slot }}, mountPath: /run/pilothouse/slot-{{ $slot }}, readOnly: true }
        - { name: slot-{{ $slot }}-home, mountPath: /home/desktop }
        - { name: slot-{{ $slot }}-tmp, mountPath: /tmp }
        - { name: slot-{{ $slot }}-shm, mountPath: /dev/shm }
        {{- range $fleet.volumeMounts }}{{/* A slot refuses to start if it can write elsewhere. */}}
        - {{ merge (dict "readOnly" true) . | toJson }}
        {{- end }}
    {{- end }}
  {{- end }}
  containers:
    - name: worker
      image: {{ include "pilothouse.image" (list $root $image) }}
      {{- include "pilothouse.container" $root | nindent 6 }}
      env: {{- include "pilothouse.env" (list (include "pilothouse.workerEnv" .) $fleet.extraEnv) | trim | nindent 8 }}
      resources: {{ toJson $fleet.resources }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        - { name: shm, mountPath: /dev/shm }
        {{- range $slot := until $slots }}
        - { name: slot-{{ $slot }}, mountPath: /run/pilothouse/slot-{{ $slot }} }
        {{- end }}
        {{- range $fleet.volumeMounts }}
        - {{ toJson . }}
        {{- end }}
  volumes:
    - { name: tmp, emptyDir: { sizeLimit: {{ $fleet.tmpSize }} } }
    - { name: shm, emptyDir: { medium: Memory, sizeLimit: {{ $fleet.shmSize }} } }
    {{- range $slot := until $slots }}
    - { name: slot-{{ $slot }}, emptyDir: { medium: Memory, sizeLimit: 1Mi } }
    - { name: slot-{{ $slot }}-home, emptyDir: { sizeLimit: {{ $fleet.tmpSize }} } }
    - { name: slot-{{ $slot }}-tmp, emptyDir: { sizeLimit: {{ $fleet.tmpSize }} } }
    - { name: slot-{{ $slot }}-shm, emptyDir: { medium: Memory, sizeLimit: {{ $fleet.shmSize }} } }
    {{- end }}
    {{- range $fleet.volumes }}
    - {{ toJson . }}
    {{- end }}
{{- end -}}

{{/* Environment of a worker. Takes the same list. */}}
{{- define "pilothouse.workerEnv" -}}
{{- $root := index . 0 }}
{{- $fleet := index . 2 }}
- { name: PILOTHOUSE_GATEWAY_URL, value: ws://{{ include "pilothouse.apiHost" $root }}/v1/gateway }
- { name: PILOTHOUSE_SURFACE, value: {{ $fleet.surface }} }
- { name: PILOTHOUSE_SLOTS, value: {{ $fleet.slotsPerWorker | quote }} }
{{- if ge (int $fleet.slotsPerWorker) 100 }}{{/* same rule as workerNodeOptions of infra-config */}}
- { name: NODE_OPTIONS, value: --max-semi-space-size=128 }
{{- end }}
{{- if eq $fleet.surface "desktop" }}
- { name: PILOTHOUSE_DESKTOP_SLOTS, value: /run/pilothouse }
{{ include "pilothouse.secretEnv" (list "PILOTHOUSE_SLOT_KEY" (include "pilothouse.keys" $root) "slot-key") }}
{{- if eq $root.Values.podUser "image" }}
- { name: PILOTHOUSE_SLOT_UID, value: "10101" }
{{- end }}
{{- end }}
{{- if eq $fleet.surface "browser" }}
- { name: PILOTHOUSE_CHROMIUM_SANDBOX, value: {{ $fleet.chromiumSandbox | quote }} }
{{- end }}
- { name: PILOTHOUSE_DRAIN_GRACE_SECONDS, value: {{ $fleet.drainGraceSeconds | quote }} }
{{- $private := $fleet.egress.allowPrivate | default list }}
{{- /* The demo shop and the page of `helm test` by name: the ports of other private addresses stay closed. */}}
{{- $name := include "pilothouse.name" $root }}
{{- if $root.Values.demo.enabled }}{{ $private = append $private (printf "%s-demo:7180" $name) }}{{ end }}
{{- if $root.Values.tests.enabled }}{{ $private = append $private (printf "%s-test:7190" $name) }}{{ end }}
- { name: PILOTHOUSE_EGRESS_ALLOW_PRIVATE, value: {{ join "," $private | quote }} }
{{- with $fleet.egress.trustedCa }}
- { name: PILOTHOUSE_EXTRA_CA_CERTS, value: {{ . | quote }} }
{{- end }}
- { name: LOG_LEVEL, value: {{ $root.Values.logLevel }} }
{{- end -}}

{{/* Pod templates for the controller: one file <fleet>.yaml per fleet. */}}
{{- define "pilothouse.podTemplates" -}}
{{- $root := . }}
{{- range $name, $own := .Values.fleets }}
{{- if kindIs "map" $own }}
{{ $name }}.yaml: |
  {{- include "pilothouse.worker" (list $root $name (include "pilothouse.fleet" (list $root $own) | fromJson)) | trim | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}
