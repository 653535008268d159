import { index, layout, route, type RouteConfig } from '@react-router/dev/routes';

export default [
  route('sign-in', 'routes/sign-in.tsx'),
  route('sign-out', 'routes/sign-out.ts'),
  route('setup', 'routes/setup.tsx'),
  route('invitation', 'routes/invitation.tsx'),
  route('password', 'routes/password.tsx'),
  route('project', 'routes/project.ts'),
  route('theme', 'routes/theme.ts'),
  route('runs/:run/files/:file', 'routes/run-file.ts'),
  route('workflows/check', 'routes/workflow-check.ts'),
  route('runs/rows', 'routes/runs-rows.ts'),
  layout('routes/layout.tsx', [
    index('routes/home.tsx'),
    route('runs', 'routes/runs.tsx'),
    route('runs/:run', 'routes/run.tsx'),
    route('fleets', 'routes/fleets.tsx'),
    route('workflows', 'routes/workflows.tsx'),
    route('workflows/new', 'routes/workflow-new.tsx'),
    route('workflows/:workflow', 'routes/workflow.tsx'),
    route('workflows/:workflow/edit', 'routes/workflow-edit.tsx'),
    route('workflows/:workflow/start', 'routes/workflow-start.tsx'),
    route('settings', 'routes/settings.tsx', [
      index('routes/settings-project.tsx'),
      route('profiles', 'routes/settings-profiles.tsx'),
      route('members', 'routes/settings-members.tsx'),
      route('keys', 'routes/settings-keys.tsx'),
      route('audit', 'routes/settings-audit.tsx'),
    ]),
    route('*', 'routes/not-found.tsx'),
  ]),
] satisfies RouteConfig;
