import type { ProjectModels } from '@pilothouse/contract/model/model-settings.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';

describe('the computer tool of a project in an assignment', () => {
  const harness = useGatewayHarness();
  const { worker, submit } = harness;

  const setModels = (models: ProjectModels | null) =>
    harness.pool.query('UPDATE project SET models = $2 WHERE id = $1', [
      harness.project,
      models && JSON.stringify(models),
    ]);
  afterEach(() => setModels(null));

  const use = ['anthropic/claude-opus-5-5'];
  it.each<[string, ProjectModels | null, boolean]>([
    ['without models', null, false],
    ['with a tool for screenshots', { vision: { use, computerTool: 'computer_toolset_20260801' } }, false],
    ['with a tool for acting', { act: { use, computerTool: 'computer_toolset_20260801' } }, true],
    ['with only functions for acting', { act: { use, computerTool: 'none' } }, false],
  ])('%s: whether every model call has a screenshot', async (_, models, isAlwaysVision) => {
    await setModels(models);
    const connected = worker();
    await connected.connect();
    const definition = workflowDefinitionSchema.parse({ name: 'spec', steps: [{ action: 'press', key: 'Enter' }] });
    const id = await submit({ definition });
    const { assignment } = await until('the run is assigned', () =>
      connected.received
        .flatMap((message) => (message.type === 'assign' ? [message] : []))
        .find((message) => message.assignment.run === id),
    );
    expect(assignment.isAlwaysVision).toBe(isAlwaysVision);
  });
});
