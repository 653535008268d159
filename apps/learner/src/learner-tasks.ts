/** The periodic tasks of a learner. */
export type LearnerTaskName = 'job-search' | 'lease-expiry' | 'lease-reclaim' | 'lease-renewal';
