import { unwrapData } from '@pilothouse/client';
import { buttonClass, classes } from '@pilothouse/ui-kit';
import { House, ListVideo, LogOut, Moon, Settings, Ship, Sun, SunMoon, Workflow, type LucideIcon } from 'lucide-react';
import {
  data,
  Form,
  NavLink,
  Outlet,
  useNavigation,
  useRouteLoaderData,
  useSubmit,
  type LoaderFunctionArgs,
} from 'react-router';
import { identityOf } from '../../server/session-cookies.ts';
import { withApi } from '../api/api-client.server.ts';
import { redirectTo } from '../auth/redirect.ts';
import { projectCookieHeader } from '../auth/sign-in.server.ts';
import type { loader as rootLoader } from '../root.tsx';
import { ErrorPage } from './error-page.tsx';
import { Logo } from './logo.tsx';
import { KeyboardShortcuts } from './keyboard-shortcuts.tsx';
import type { Viewer } from './use-role.ts';

interface ProjectOption {
  readonly id: string;
  readonly name: string;
}

/** The viewer, and the selected project. */
interface LayoutData extends Viewer {
  readonly viewerName: string;
  readonly project: ProjectOption;
  readonly projects: readonly ProjectOption[];
}

export const loader = (args: LoaderFunctionArgs): Promise<LayoutData> =>
  withApi(args, async ({ api }) => {
    const { request } = args;
    const identity = identityOf(request.headers.get('cookie'));
    if (identity.cookie === undefined) {
      const { key, role, project } = await unwrapData(api.GET('/v1/me'));
      return { viewerName: key?.name ?? '', role, project, projects: [] };
    }
    const { user, projects } = await unwrapData(api.GET('/v1/sessions/current'));
    const project = projects.find(({ id }) => id === identity['pilothouse-project']);
    if (project) return { viewerName: user.name, role: project.role, project, projects };
    const [first] = projects;
    if (!first) throw data({ code: 'FORBIDDEN', message: 'You are a member of no project any more.' }, { status: 403 });
    // No project is selected, or the user has left it: selects the first.
    throw redirectTo(request.method === 'GET' ? new URL(request.url).pathname.replace(/\.data$/, '') : '/', {
      headers: { 'set-cookie': projectCookieHeader(request, first.id) },
    });
  });

/** The viewer changes only by sign-in or sign-out. */
export const shouldRevalidate = ({ formAction }: { formAction?: string }) => formAction !== undefined;

const pages: readonly { to: string; name: string; key: string; Icon: LucideIcon }[] = [
  { to: '/', name: 'Home', key: 'h', Icon: House },
  { to: '/runs', name: 'Runs', key: 'r', Icon: ListVideo },
  { to: '/workflows', name: 'Workflows', key: 'w', Icon: Workflow },
  { to: '/fleets', name: 'Fleets', key: 'f', Icon: Ship },
  { to: '/settings', name: 'Settings', key: 's', Icon: Settings },
];

const themes = {
  system: { next: 'light', Icon: SunMoon },
  light: { next: 'dark', Icon: Sun },
  dark: { next: 'system', Icon: Moon },
} as const;

const linkClass = ({ isActive }: { isActive: boolean }) =>
  classes(
    'flex items-center gap-2.5 rounded-md px-2.5 text-sm font-medium [&>svg]:size-4',
    'max-md:flex-1 max-md:flex-col max-md:gap-0.5 max-md:py-1.5 max-md:text-xs md:h-8',
    isActive ? 'bg-raised text-text' : 'text-muted hover:bg-raised hover:text-text',
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
        aria-label={`Colours: ${theme}. Change to ${next}`}
        title={`Colours: ${theme}`}
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
      className="-ml-1 w-full truncate rounded border border-transparent bg-surface text-sm font-semibold hover:border-line"
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

/** Page layout with navigation: on the left of wide windows, at the bottom of narrow ones. */
export default function Layout({ loaderData: { viewerName, role, project, projects } }: { loaderData: LayoutData }) {
  const isLoading = useNavigation().state === 'loading';
  return (
    <div className="grid min-h-dvh max-md:grid-rows-[auto_minmax(0,1fr)] md:grid-cols-[13rem_minmax(0,1fr)]">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:bg-surface focus:p-2"
      >
        Skip to the page
      </a>
      <aside className="max-md:contents md:sticky md:top-0 md:flex md:h-dvh md:flex-col md:border-r md:border-line md:bg-surface md:p-3">
        <div className="flex items-center gap-2.5 max-md:h-12 max-md:border-b max-md:border-line max-md:bg-surface max-md:px-3 md:mb-4 md:px-1">
          <Logo className="size-7" />
          <div className="min-w-0 flex-1">
            <ProjectName project={project} projects={projects} />
            <p className="truncate text-xs text-muted" title={`${viewerName} (${role})`}>
              {viewerName} · {role}
            </p>
          </div>
          <div className="flex md:hidden">
            <ThemeButton />
            <SignOut />
          </div>
        </div>
        <nav
          aria-label="Pages"
          className="z-20 flex gap-0.5 max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:border-t max-md:border-line max-md:bg-surface max-md:p-1 md:flex-col"
        >
          {pages.map(({ to, name, Icon }) => (
            <NavLink key={to} to={to} end={to === '/'} prefetch="intent" className={linkClass}>
              <Icon aria-hidden="true" />
              {name}
            </NavLink>
          ))}
        </nav>
        <div className="mt-auto hidden items-center gap-1 md:flex">
          <ThemeButton />
          <KeyboardShortcuts pages={pages} />
          <SignOut />
        </div>
      </aside>
      <main id="page" tabIndex={-1} aria-busy={isLoading} className="min-w-0 p-3 outline-none max-md:pb-20 md:p-5">
        <Outlet />
      </main>
    </div>
  );
}

export function ErrorBoundary({ error }: { error: unknown }) {
  return (
    <main id="page">
      <ErrorPage error={error} />
    </main>
  );
}
