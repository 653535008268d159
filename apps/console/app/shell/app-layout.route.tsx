import { unwrapData } from '@pilothouse/client';
import { Button, buttonClass, classes, Kbd, ToastProvider } from '@pilothouse/ui-kit';
import {
  GraduationCap,
  House,
  Keyboard,
  Lightbulb,
  ListVideo,
  LogOut,
  Moon,
  Play,
  Search,
  Settings,
  Ship,
  Sun,
  SunMoon,
  Workflow,
  type LucideIcon,
} from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import {
  data,
  Form,
  Link,
  NavLink,
  Outlet,
  useNavigation,
  useRouteLoaderData,
  useSubmit,
  type LoaderFunctionArgs,
} from 'react-router';
import { identityOf } from '../../server/session-cookies.ts';
import { withApi } from '../api/api-client.server.ts';
import { redirectTo } from '../api/redirect.ts';
import { projectCookieHeader } from '../auth/sign-in.server.ts';
import type { loader as rootLoader } from '../root.tsx';
import { ErrorPage } from './error-page.tsx';
import { layoutMeta } from './page-problem.ts';
import { Logo } from '../page/logo.tsx';
import type { PageShortcut } from './keyboard-shortcuts.tsx';
import { ShellDialogs } from './shell-dialogs.tsx';
import type { Viewer } from '../page/use-role.ts';
import { useShellDialog } from './use-shell-dialog.ts';

interface ProjectOption {
  readonly id: string;
  readonly name: string;
}

/** The viewer, and the selected project. */
interface LayoutData extends Viewer {
  readonly viewerName: string;
  readonly project: ProjectOption;
  readonly projects: readonly ProjectOption[];
  /** Open proposals; at most `MAX_OPEN_PROPOSALS`. */
  readonly openProposals: number;
}

const PROPOSALS_PATH = '/proposals';

/** Proposals that are counted. The navigation shows a greater number as `99+`. */
const MAX_OPEN_PROPOSALS = 100;

export const meta = layoutMeta;

export const loader = (args: LoaderFunctionArgs): Promise<LayoutData> =>
  withApi(args, async ({ api }) => {
    const { request } = args;
    const identity = identityOf(request.headers.get('cookie'));
    // Without the count, the navigation still works.
    const proposalCount = unwrapData(
      api.GET('/v1/proposals', { params: { query: { status: ['open'], limit: MAX_OPEN_PROPOSALS } } }),
    ).then(
      ({ items }) => items.length,
      () => 0,
    );
    if (identity.cookie === undefined) {
      const { key, role, project } = await unwrapData(api.GET('/v1/me'));
      return { viewerName: key?.name ?? '', role, project, projects: [], openProposals: await proposalCount };
    }
    const { user, projects } = await unwrapData(api.GET('/v1/sessions/current'));
    const project = projects.find(({ id }) => id === identity['pilothouse-project']);
    if (project)
      return { viewerName: user.name, role: project.role, project, projects, openProposals: await proposalCount };
    const [first] = projects;
    if (!first)
      throw data(
        { code: 'FORBIDDEN', message: 'You no longer have access to a project. Ask an admin for an invitation.' },
        { status: 403 },
      );
    // No project is selected, or the user has left it: selects the first.
    throw redirectTo(request.method === 'GET' ? new URL(request.url).pathname.replace(/\.data$/, '') : '/', {
      headers: { 'set-cookie': projectCookieHeader(request, first.id) },
    });
  });

/** The viewer changes only by sign-in or sign-out, and the number of proposals is read again with their page. */
export const shouldRevalidate = ({
  formAction,
  currentUrl,
  nextUrl,
}: {
  formAction?: string;
  currentUrl: URL;
  nextUrl: URL;
}) => formAction !== undefined || [currentUrl, nextUrl].some(({ pathname }) => pathname === PROPOSALS_PATH);

const pages: readonly (PageShortcut & { Icon: LucideIcon })[] = [
  { href: '/', name: 'Home', key: 'h', Icon: House },
  { href: '/runs', name: 'Runs', key: 'r', Icon: ListVideo },
  { href: '/workflows', name: 'Workflows', key: 'w', Icon: Workflow },
  { href: '/proposals', name: 'Proposals', key: 'p', Icon: Lightbulb },
  { href: '/learning', name: 'Learning', key: 'l', Icon: GraduationCap },
  { href: '/fleets', name: 'Fleets', key: 'f', Icon: Ship },
  { href: '/settings', name: 'Settings', key: 's', Icon: Settings },
];

const themes = {
  system: { next: 'light', Icon: SunMoon },
  light: { next: 'dark', Icon: Sun },
  dark: { next: 'system', Icon: Moon },
} as const;

const linkClass = ({ isActive }: { isActive: boolean }) =>
  classes(
    'flex items-center gap-2.5 rounded-md text-sm font-medium md:px-2.5 [&>svg]:size-4',
    'relative max-md:min-w-0 max-md:flex-1 max-md:flex-col max-md:gap-0.5 max-md:py-1.5 max-md:text-[0.625rem] md:h-8',
    isActive ? 'bg-raised text-text' : 'text-muted hover:bg-raised hover:text-text',
  );

/** Number of open proposals beside the link in the sidebar, and above it at the bottom of narrow windows. */
const OpenProposals = ({ number }: { number: number }) => (
  <span className="rounded-full bg-primary px-1.5 text-xs leading-4 text-on-primary max-md:absolute max-md:top-0.5 max-md:left-1/2 max-md:px-1 max-md:text-[0.625rem] md:ml-auto">
    {number < MAX_OPEN_PROPOSALS ? number : `${MAX_OPEN_PROPOSALS - 1}+`}
    <span className="sr-only"> open</span>
  </span>
);

function ThemeButton() {
  const theme = useRouteLoaderData<typeof rootLoader>('root')?.theme ?? 'system';
  const { next, Icon } = themes[theme];
  return (
    <Form method="post" action="/theme" navigate={false}>
      <button
        name="theme"
        value={next}
        className={buttonClass({ variant: 'quiet', icon: true })}
        aria-label={`Theme: ${theme}. Switch to ${next}`}
        title={`Theme: ${theme}`}
      >
        <Icon aria-hidden="true" />
      </button>
    </Form>
  );
}

const SignOut = () => (
  <Form method="post" action="/sign-out">
    <button
      type="submit"
      className={buttonClass({ variant: 'quiet', icon: true })}
      aria-label="Sign out"
      title="Sign out"
    >
      <LogOut aria-hidden="true" />
    </button>
  </Form>
);

/** Selected project; a select if there are several. */
function ProjectName({ project, projects }: Pick<LayoutData, 'project' | 'projects'>) {
  const submit = useSubmit();
  if (projects.length < 2) return <p className="truncate text-sm font-semibold">{project.name}</p>;
  return (
    <select
      aria-label="Project"
      className="-ml-1 h-6 w-full truncate rounded border border-transparent bg-surface text-sm font-semibold hover:border-line"
      value={project.id}
      onChange={({ target }) => void submit({ project: target.value }, { method: 'post', action: '/switch-project' })}
    >
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Buttons for a new run and the command palette: with labels in the sidebar, as icons in the top bar. */
function ShellActions({ canOperate, isSidebar }: { canOperate: boolean; isSidebar: boolean }) {
  const openDialog = useShellDialog();
  const openNewRun = () => openDialog('new-workflow-run');
  const openPalette = () => openDialog('palette');
  if (isSidebar)
    return (
      <div className="mb-3 grid gap-2 max-md:hidden">
        {canOperate && (
          <Button variant="primary" onClick={openNewRun} title="New run (c)" data-shortcut="c">
            <Play aria-hidden="true" /> New run
          </Button>
        )}
        <Button onClick={openPalette} className="text-muted!" title="Command palette">
          <Search aria-hidden="true" /> <span className="flex-1 text-left font-normal">Search</span>
          <span aria-hidden="true">
            <Kbd>Ctrl K</Kbd>
          </span>
        </Button>
      </div>
    );
  return (
    <div className="flex md:hidden">
      {canOperate && (
        <Button variant="quiet" icon aria-label="New run" onClick={openNewRun}>
          <Play aria-hidden="true" />
        </Button>
      )}
      <Button variant="quiet" icon aria-label="Search" onClick={openPalette}>
        <Search aria-hidden="true" />
      </Button>
      <ThemeButton />
      <SignOut />
    </div>
  );
}

function ShortcutsButton() {
  const openDialog = useShellDialog();
  return (
    <Button
      variant="quiet"
      icon
      aria-label="Keyboard shortcuts"
      title="Keyboard shortcuts (?)"
      onClick={() => openDialog('shortcuts')}
    >
      <Keyboard aria-hidden="true" />
    </Button>
  );
}

export default function Layout({ loaderData }: { loaderData: LayoutData }) {
  return (
    <Shell layout={loaderData}>
      <Outlet />
    </Shell>
  );
}

/** Navigation and dialogs around a page. */
function Shell({ layout, children }: { layout: LayoutData; children: ReactNode }) {
  const { project, projects } = layout;
  const otherProjects = useMemo(() => projects.filter(({ id }) => id !== project.id), [projects, project.id]);
  return (
    <ToastProvider>
      <ShellDialogs pages={pages} projects={otherProjects}>
        <Frame layout={layout}>{children}</Frame>
      </ShellDialogs>
    </ToastProvider>
  );
}

/** Navigation: on the left of wide windows, at the bottom of narrow ones. */
function Frame({ layout, children }: { layout: LayoutData; children: ReactNode }) {
  const { viewerName, role, project, projects } = layout;
  const isLoading = useNavigation().state === 'loading';
  const canOperate = role !== 'viewer';
  return (
    <div className="grid min-h-dvh max-md:grid-rows-[auto_minmax(0,1fr)] md:grid-cols-[13rem_minmax(0,1fr)]">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:bg-surface focus:p-2"
      >
        Skip to content
      </a>
      <aside className="max-md:contents md:sticky md:top-0 md:flex md:h-dvh md:flex-col md:border-r md:border-line md:bg-surface md:p-3">
        <div className="flex items-center gap-2.5 max-md:h-12 max-md:border-b max-md:border-line max-md:bg-surface max-md:px-3 md:mb-4 md:px-1">
          <Logo className="size-7" />
          <div className="min-w-0 flex-1">
            <ProjectName project={project} projects={projects} />
            <Link
              to="/settings/account"
              className="block truncate text-xs leading-6 text-muted hover:underline"
              title={`${viewerName} (${role}). Open your account`}
            >
              {viewerName} · {role}
            </Link>
          </div>
          <ShellActions canOperate={canOperate} isSidebar={false} />
        </div>
        <ShellActions canOperate={canOperate} isSidebar />
        <nav
          aria-label="Main navigation"
          className="z-20 flex gap-0.5 max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:border-t max-md:border-line max-md:bg-surface max-md:p-1 md:flex-col"
        >
          {pages.map(({ href, name, Icon }) => (
            <NavLink key={href} to={href} end={href === '/'} prefetch="intent" className={linkClass}>
              <Icon aria-hidden="true" />
              {name}
              {href === PROPOSALS_PATH && layout.openProposals > 0 && <OpenProposals number={layout.openProposals} />}
            </NavLink>
          ))}
        </nav>
        <div className="mt-auto hidden items-center gap-1 md:flex">
          <ThemeButton />
          <ShortcutsButton />
          <SignOut />
        </div>
      </aside>
      <main id="page" tabIndex={-1} aria-busy={isLoading} className="min-w-0 p-3 outline-none max-md:pb-20 md:p-5">
        {children}
      </main>
    </div>
  );
}

/** Error of a page. The navigation stays, unless the layout itself failed. */
export function ErrorBoundary({ error }: { error: unknown }) {
  const layout = useRouteLoaderData<LayoutData>('shell/app-layout.route');
  if (layout)
    return (
      <Shell layout={layout}>
        <ErrorPage error={error} />
      </Shell>
    );
  return (
    <main id="page">
      <ErrorPage error={error} />
    </main>
  );
}
