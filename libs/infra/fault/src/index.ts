export { enableFailpoints, failpoint } from './failpoint.ts';
export { failpoints, failpointInfo, type Failpoint, type FailpointInfo } from './failpoint-catalogue.ts';
