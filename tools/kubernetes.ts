import { fileURLToPath } from 'node:url';

export { unzipSync } from 'fflate';
export { Deployment } from 'kubernetes-models/apps/v1';
export { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
export { CronJob, Job } from 'kubernetes-models/batch/v1';
export { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
export { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
export { Service, ServiceAccount } from 'kubernetes-models/v1';

/** The file beside the archive that has helm for Linux x64. */
export const HELM_PACKAGE_FILE = fileURLToPath(import.meta.resolve('@aws-cdk/asset-kubectl-v20'));
