/** Section of the learning pages. */
export interface LearningSection {
  href: string;
  name: string;
}

/** Sections of the learning pages. The first one is the page of the main navigation. */
export const learningSections: readonly LearningSection[] = [
  { href: '/learning', name: 'Overview' },
  { href: '/learning/traces', name: 'Review' },
  { href: '/learning/datasets', name: 'Datasets' },
  { href: '/learning/tuning', name: 'Tuning' },
  { href: '/learning/models', name: 'Models' },
  { href: '/learning/jobs', name: 'Jobs' },
  { href: '/learning/savings', name: 'Savings' },
];
