import { lazy } from 'react';

/** The debug log of a run or a step. Its code loads when it is shown. */
export const DebugLogTab = lazy(() => import('./debug-log-tab.tsx'));
