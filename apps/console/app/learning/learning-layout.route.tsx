import { Outlet } from 'react-router';
import { SectionTabs } from '../page/section-tabs.tsx';
import { learningSections } from '../page/page-sections.ts';

export const meta = () => [{ title: 'Learning · Pilothouse' }];

/** Tabs above the learning pages. Each page has its own header. */
export default function LearningLayout() {
  return (
    <>
      <SectionTabs label="Learning" sections={learningSections} />
      <Outlet />
    </>
  );
}
