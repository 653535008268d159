/** The periodic tasks of a job runner. */
export type JobsTaskName = 'job-search' | 'lease-expiry' | 'lease-reclaim' | 'lease-renewal';
