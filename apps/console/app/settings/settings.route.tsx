import { classes } from '@pilothouse/ui-kit';
import { NavLink, Outlet } from 'react-router';
import { PageHeader } from '../shell/page-header.tsx';
import { useRole } from '../shell/use-role.ts';

export const meta = () => [{ title: 'Settings · Pilothouse' }];

/** Sections of the settings. Admin sections are hidden from others. */
const sections = [
  { to: '/settings', name: 'Project', admin: false },
  { to: '/settings/profiles', name: 'Profiles', admin: false },
  { to: '/settings/members', name: 'Members', admin: true },
  { to: '/settings/keys', name: 'API keys', admin: true },
  { to: '/settings/audit', name: 'Audit log', admin: true },
];

export default function Settings() {
  const role = useRole();
  return (
    <>
      <PageHeader title="Settings" />
      <nav aria-label="Sections" className="mb-3 flex gap-1 overflow-x-auto border-b border-line">
        {sections
          .filter(({ admin }) => !admin || role === 'admin')
          .map(({ to, name }) => (
            <NavLink
              key={to}
              to={to}
              end
              className={({ isActive }) =>
                classes(
                  '-mb-px flex h-9 items-center border-b-2 px-2.5 text-sm font-medium whitespace-nowrap',
                  isActive ? 'border-primary text-text' : 'border-transparent text-muted hover:text-text',
                )
              }
            >
              {name}
            </NavLink>
          ))}
      </nav>
      <Outlet />
    </>
  );
}
