{{/*
A bundled store: a StatefulSet with one pod and one volume, and its Service. Takes a dict: root, component, values (bundled), port, mounts (path: folder of
the volume), container (YAML: args, env, probes), writable (further writable folders)
*/}}
{{- define "pilothouse.store" -}}
{{- $name := printf "%s-%s" (include "pilothouse.name" .root) .component }}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ $name }}
  labels: {{- include "pilothouse.labels" (list .root .component) | nindent 4 }}
spec:
  serviceName: {{ $name }}
  replicas: 1
  selector: { matchLabels: {{ include "pilothouse.selector" (list .root .component) | fromYaml | toJson }} }
  persistentVolumeClaimRetentionPolicy: { whenScaled: Retain, whenDeleted: {{ ternary "Retain" "Delete" .root.Values.keepDataOnUninstall }} }
  template:
    metadata:
      labels: {{- include "pilothouse.selector" (list .root .component) | nindent 8 }}
      annotations: {{ include "pilothouse.secretsAnnotation" (list .root (list .component) list) }}
    spec:
      {{- include "pilothouse.pod" (dict "root" .root "uid" .values.runAsUser) | nindent 6 }}
      {{- with include "pilothouse.placement" .values | trim }}{{ . | nindent 6 }}{{ end }}
      terminationGracePeriodSeconds: 60
      containers:
        - name: {{ .component }}
          image: {{ .values.image }}
          {{- include "pilothouse.container" .root | nindent 10 }}
          ports: [{ name: {{ .component }}, containerPort: {{ .port }} }]
          resources: {{ toJson .values.resources }}
          {{- .container | nindent 10 }}
          volumeMounts:
            {{- range $path, $folder := .mounts }}
            - { name: data, mountPath: {{ $path }}, subPath: {{ $folder }} }
            {{- end }}
            {{- range $n, $folder := .writable }}
            - { name: scratch, mountPath: {{ $folder }}, subPath: scratch-{{ $n }} }
            {{- end }}
      volumes:
        - { name: scratch, emptyDir: { sizeLimit: 1Gi } }
  volumeClaimTemplates:
    - metadata:
        name: data
        labels: {{- include "pilothouse.selector" (list .root .component) | nindent 10 }}
      spec:
        accessModes: [ReadWriteOnce]
        {{- with .values.storageClass }}
        storageClassName: {{ . }}
        {{- end }}
        resources: { requests: { storage: {{ .values.storage }} } }
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  labels: {{- include "pilothouse.labels" (list .root .component) | nindent 4 }}
spec:
  selector: {{ include "pilothouse.selector" (list .root .component) | fromYaml | toJson }}
  ports: [{ name: {{ .component }}, port: {{ .port }}, targetPort: {{ .component }} }]
{{- end -}}
