export { enableFailpoints, hit } from './fault.ts';
export { failpoints, failpointInfo, type Failpoint, type FailpointInfo } from './failpoints.ts';
