export { enableFailpoints, hit } from './hit-failpoint.ts';
export { failpoints, failpointInfo, type Failpoint, type FailpointInfo } from './failpoint-catalogue.ts';
