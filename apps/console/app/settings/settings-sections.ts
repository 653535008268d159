import type { Role } from '@pilothouse/contract/project/project-roles';

export interface SettingsSection {
  href: string;
  name: string;
}

const sections: readonly (SettingsSection & { isAdminOnly?: true })[] = [
  { href: '/settings', name: 'Project' },
  { href: '/settings/profiles', name: 'Profiles' },
  { href: '/settings/members', name: 'Members', isAdminOnly: true },
  { href: '/settings/keys', name: 'API keys', isAdminOnly: true },
  { href: '/settings/audit', name: 'Audit log', isAdminOnly: true },
];

/** Sections of the settings that a role can open. */
export const settingsSections = (role: Role | undefined): readonly SettingsSection[] =>
  sections.filter(({ isAdminOnly }) => !isAdminOnly || role === 'admin');
