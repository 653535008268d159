import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';

type StepInput = WorkflowDefinitionInput['steps'][number];

/** Builders of steps that many desktop tasks have. */
export const openApp = (app: string, ...args: string[]): StepInput => ({ action: 'openApp', app, args });
export const type = (text: string): StepInput => ({ action: 'type', text });
export const press = (key: string, times = 1): StepInput => ({ action: 'press', key, times });
export const click = (role: string, name: string): StepInput => ({
  action: 'click',
  target: { role, name, exact: true },
});
export const fill = (label: string, text: string): StepInput => ({ action: 'fill', target: { label }, text });
/** Waits for a window with this title to be active. */
export const untilTitle = (title: string): StepInput => ({ action: 'waitFor', condition: { title } });
export const untilText = (text: string): StepInput => ({ action: 'waitFor', condition: { text } });

/** Answers the "Save As" dialog of a GTK application. The click beside the field closes the list of completions, which would take the click on the button. */
export const saveAs = (name: string, dialog = 'Save As'): StepInput[] => [
  untilTitle(dialog),
  fill('Name', name),
  { action: 'click', target: { text: 'Name:', exact: true } },
  click('button', 'Save'),
];
