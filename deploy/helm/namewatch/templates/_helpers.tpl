{{- define "namewatch.fullname" -}}
{{- if contains "namewatch" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-namewatch" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "namewatch.selector" -}}
app.kubernetes.io/name: namewatch
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "namewatch.labels" -}}
{{ include "namewatch.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "namewatch.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- /* Which keys of the secret a pod reads, beside those that all need. Input: role */}}
{{- define "namewatch.secretNames" -}}
DATABASE_URL MASTER_KEY REDIS_URL MASTER_KEY_PREVIOUS SMTP_URL OIDC_CLIENT_SECRET
{{- if eq . "api" }} BOOTSTRAP_API_KEY{{ end }}
{{- if eq . "migrate" }} MIGRATION_DATABASE_URL{{ end }}
{{- end }}

{{- /* The keys that a pod mounts as files: none is no volume, since a volume without items has every key. Input: dict root, role */}}
{{- define "namewatch.fileItems" -}}
{{- range $name := splitList " " (include "namewatch.secretNames" .role) }}
{{- if has $name $.root.Values.secretFiles }}{ key: {{ $name }}, path: {{ $name }} }, {{ end }}
{{- end }}
{{- end }}

{{- /* What every container gets. Input: dict root, role, settings (over the common ones) */}}
{{- define "namewatch.env" -}}
{{- $fixed := dict "HOST" "0.0.0.0" "PORT" "3000" "METRICS_HOST" "0.0.0.0" "METRICS_PORT" "9464" "DATA_DIR" "/data/namewatch" "DRAIN_SECONDS" (toString .root.Values.drainSeconds) }}
{{- range $name, $value := merge (dict) $fixed .settings .root.Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name := splitList " " (include "namewatch.secretNames" .role) }}
{{- if has $name $.root.Values.secretFiles }}
- name: {{ $name }}_FILE
  value: /run/secrets/namewatch/{{ $name }}
{{- else }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $.root.Values.secretName | quote }}, key: {{ $name }}, optional: {{ not (has $name (list "DATABASE_URL" "MASTER_KEY")) }} } }
{{- end }}
{{- end }}
{{- with .root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* What every pod has. Input: dict root, role */}}
{{- define "namewatch.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
# Five seconds in which a stopping process still serves, its drain, and as long again to close.
terminationGracePeriodSeconds: {{ add 5 (mul 2 .root.Values.drainSeconds) }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  # Nothing in them outlives the pod.
  - name: data
    emptyDir: { sizeLimit: 64Mi }
  - name: tmp
    emptyDir: { sizeLimit: 256Mi }
  {{- with include "namewatch.fileItems" . }}
  - name: secrets
    secret: { secretName: {{ $.root.Values.secretName | quote }}, defaultMode: 288, items: [{{ . }}] }
  {{- end }}
  {{- with .root.Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- /* The secret as it is at an install or upgrade: its change replaces the pods. Without a cluster it is unknown. */}}
{{- define "namewatch.secretsChecksum" -}}
{{- (lookup "v1" "Secret" .Release.Namespace .Values.secretName | default dict).data | toJson | sha256sum }}
{{- end }}

{{- define "namewatch.container" -}}
image: {{ include "namewatch.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
  {{- if include "namewatch.fileItems" . }}
  - { name: secrets, mountPath: /run/secrets/namewatch, readOnly: true }
  {{- end }}
  {{- with .mounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with .root.Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.extraEnvFrom }}
envFrom: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}
