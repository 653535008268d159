import type { Role } from '@pilothouse/contract/project/project-roles';

/** Section of pages with tabs. */
export interface PageSection {
  href: string;
  name: string;
}

/** Sections of the learning pages. The first one is the page of the main navigation. */
export const learningSections: readonly PageSection[] = [
  { href: '/learning', name: 'Overview' },
  { href: '/learning/traces', name: 'Review' },
  { href: '/learning/datasets', name: 'Datasets' },
  { href: '/learning/tuning', name: 'Tuning' },
  { href: '/learning/models', name: 'Models' },
  { href: '/learning/jobs', name: 'Jobs' },
  { href: '/learning/savings', name: 'Savings' },
];

const allSettingsSections: readonly (PageSection & { isAdminOnly?: true })[] = [
  { href: '/settings', name: 'Project' },
  { href: '/settings/profiles', name: 'Profiles' },
  { href: '/settings/secrets', name: 'Secrets' },
  { href: '/settings/members', name: 'Members', isAdminOnly: true },
  { href: '/settings/keys', name: 'API keys', isAdminOnly: true },
  { href: '/settings/audit', name: 'Audit log', isAdminOnly: true },
  { href: '/settings/projects', name: 'Projects', isAdminOnly: true },
  { href: '/settings/account', name: 'Account' },
];

/** Sections of the settings that a role can open. */
export const settingsSections = (role: Role | undefined): readonly PageSection[] =>
  allSettingsSections.filter(({ isAdminOnly }) => !isAdminOnly || role === 'admin');
