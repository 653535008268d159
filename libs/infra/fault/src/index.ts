export { arm, hit } from './fault.ts';
export { failpoints, type Failpoint } from './failpoints.ts';
