/** Section of the learning pages. */
export interface LearningSection {
  to: string;
  name: string;
}

/** Sections of the learning pages. The first one is the page of the main navigation. */
export const learningSections: readonly LearningSection[] = [
  { to: '/learning', name: 'Overview' },
  { to: '/learning/traces', name: 'Review' },
  { to: '/learning/datasets', name: 'Datasets' },
  { to: '/learning/tuning', name: 'Tuning' },
  { to: '/learning/models', name: 'Models' },
  { to: '/learning/jobs', name: 'Jobs' },
  { to: '/learning/savings', name: 'Savings' },
];
