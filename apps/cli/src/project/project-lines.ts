import type { ProjectView } from '@pilothouse/contract/api/project.routes';
import type { LearningSettings } from '@pilothouse/contract/learning/learning-settings.schema';
import { DEFAULT_SAMPLE_PERCENT } from '@pilothouse/contract/agent/turn-recording-modes';
import type { ProjectModels } from '@pilothouse/contract/model/model-settings.schema';
import { modelRoles } from '@pilothouse/contract/model/model.schema';
import type { SiteLimit } from '@pilothouse/contract/project/politeness.schema';
import { runStatuses } from '@pilothouse/contract/run/run-status';
import { clean, count } from '../output/sanitize-text.ts';
import type { Style } from '../output/text-style.ts';
import { pairs } from '../output/text-table.ts';
import { budgetRows } from './budget-flags.ts';

/** Lines about the settings and run counts of a project. */
export function projectLines(project: ProjectView, style: Style): string[] {
  const {
    slug,
    name,
    maxConcurrentRuns: maxRunning,
    retention,
    egress,
    politeness: siteLimits,
    models,
    agents,
    learning,
    runs,
  } = project;
  const retentionText = (days: number | null, unlimited: string) =>
    days === null ? unlimited : `${count(days, 'day')} after the run ends`;
  const sameAsRuns = retention.runsDays === null ? 'forever' : 'same as runs';
  return pairs(
    [
      ['project', `${style.bold(slug)}  ${clean(name)}`],
      ['runs', runStatuses.map((status) => `${runs[status]} ${status}`).join(style.dim(' · '))],
      ['limit', maxRunning === null ? 'none' : count(maxRunning, 'concurrent run')],
      ['retention: runs', retentionText(retention.runsDays, 'forever')],
      ['retention: events', retentionText(retention.eventsDays, sameAsRuns)],
      ['retention: artifacts', retentionText(retention.artifactsDays, sameAsRuns)],
      ['allowed hosts', egress.allow === null ? 'any public host' : egress.allow.join(', ') || 'none'],
      ['site limits', (siteLimits?.limits ?? []).map(siteLimitText).join(style.dim(' · ')) || 'none'],
      ['robots.txt', siteLimits && siteLimits.robots !== 'ignore' ? 'reported' : 'ignored'],
      ['healing', agents?.repairPolicy === 'publish' ? 'published after verification' : 'proposed for review'],
      ['action cache', agents?.actionCache === 'never' ? 'never' : 'reused without calling a model'],
      ['notes', (agents?.notes ?? []).map(({ app, site = app }) => clean(site ?? '')).join(style.dim(' · ')) || 'none'],
      ['models', modelsText(models).join(style.dim(' · ')) || 'installation default'],
      ...budgetRows(project),
      ['model log', models?.trace === 'full' ? 'stored' : 'off'],
      ['turns recorded', turnsText(learning)],
      ['traces shared', learning?.shareTraces ? 'with datasets of other projects' : 'no'],
    ],
    style,
  );
}

function turnsText(learning: LearningSettings | null): string {
  const { turns = 'off', samplePercent = DEFAULT_SAMPLE_PERCENT } = learning?.record ?? {};
  return turns === 'sample' ? `${samplePercent} % of runs` : turns;
}

const modelsText = (models: ProjectModels | null): string[] =>
  (['default', ...modelRoles] as const).flatMap((role) => {
    const choice = models?.[role];
    return choice ? [`${role}: ${choice.use.join(', ')}${choice.dialect ? ` (${choice.dialect})` : ''}`] : [];
  });

function siteLimitText({ domain, requestsPerMinute, maxConcurrentRuns }: SiteLimit): string {
  const limits = [
    ...(requestsPerMinute === undefined ? [] : [`${requestsPerMinute} pages/min`]),
    ...(maxConcurrentRuns === undefined ? [] : [`${maxConcurrentRuns} concurrent`]),
  ];
  return `${domain}: ${limits.join(', ')}`;
}
