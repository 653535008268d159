export { arm, hit } from './fault.ts';
export { failpoints, placeOf, type Failpoint, type Place } from './failpoints.ts';
