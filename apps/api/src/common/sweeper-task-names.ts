/** Tasks of a sweep, in their order; the values of the label `task`. */
export const sweeperTaskNames = [
  'leases',
  'expired',
  'cancels',
  'questions',
  'control_sessions',
  'workers',
  'backlog',
] as const;
export type SweeperTaskName = (typeof sweeperTaskNames)[number];
