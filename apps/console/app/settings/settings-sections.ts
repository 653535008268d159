import type { Role } from '@pilothouse/contract/project/project-roles';

export interface SettingsSection {
  to: string;
  name: string;
}

const sections: readonly (SettingsSection & { isAdminOnly?: true })[] = [
  { to: '/settings', name: 'Project' },
  { to: '/settings/profiles', name: 'Profiles' },
  { to: '/settings/members', name: 'Members', isAdminOnly: true },
  { to: '/settings/keys', name: 'API keys', isAdminOnly: true },
  { to: '/settings/audit', name: 'Audit log', isAdminOnly: true },
];

/** Sections of the settings that a role can open. */
export const settingsSections = (role: Role | undefined): readonly SettingsSection[] =>
  sections.filter(({ isAdminOnly }) => !isAdminOnly || role === 'admin');
