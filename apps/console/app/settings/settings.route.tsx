import { Outlet } from 'react-router';
import { PageHeader } from '../page/page-header.tsx';
import { SectionTabs } from '../page/section-tabs.tsx';
import { useRole } from '../page/use-role.ts';
import { settingsSections } from '../page/page-sections.ts';

export const meta = ({ location }: { location: { pathname: string } }) => {
  const section = settingsSections('admin').find(({ href }) => href === location.pathname);
  return [{ title: `${section ? `${section.name} · ` : ''}Settings · Pilothouse` }];
};

export default function Settings() {
  return (
    <>
      <PageHeader title="Settings" />
      <SectionTabs label="Settings" sections={settingsSections(useRole())} />
      <Outlet />
    </>
  );
}
