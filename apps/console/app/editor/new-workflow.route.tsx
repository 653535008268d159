import { Button, ConfirmDialog, Notice, Select } from '@pilothouse/ui-kit';
import { Upload } from 'lucide-react';
import { useCallback, useRef, useState } from 'react';
import {
  data,
  Form,
  useActionData,
  useFetcher,
  useNavigation,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { requireRole, tryApi } from '../api/api-client.server.ts';
import { actionForms } from './form/action-forms.server.ts';
import { textOf } from '../api/form-fields.server.ts';
import { redirectTo } from '../api/redirect.ts';
import { createWorkflow, submitProblemsOf, fileProblem } from '../workflows/workflow-files.server.ts';
import { workflowBreadcrumbs } from '../page/breadcrumbs.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { WorkflowEditor } from './workflow-editor.tsx';
import type { action as importAction } from './import-workflow.route.ts';

export const meta = () => [{ title: 'New workflow · Pilothouse' }];

const browserExample = `name: my-workflow
title: Describe the workflow
inputs:
  url: { type: string, format: uri, default: https://example.com }
steps:
  - action: navigate
    url: '{{inputs.url}}'
  - id: heading
    action: extract
    target: { css: h1 }
    value: {}
output:
  heading: '{{steps.heading.value}}'
`;

const desktopExample = `name: my-note
title: Describe the workflow
surface: desktop
inputs:
  text: { type: string, default: 'Grüße: 5 €' }
steps:
  - action: openApp
    app: org.xfce.mousepad
  - action: type
    text: '{{inputs.text}}'
  - action: press
    key: Control+A
  - action: press
    key: Control+C
  - id: note
    action: readClipboard
output:
  text: '{{steps.note.value}}'
`;

const examples = { browser: browserExample, desktop: desktopExample } as const;

type ExampleName = keyof typeof examples;

export const loader = async (args: LoaderFunctionArgs) => {
  await requireRole(args, 'operator');
  return { forms: actionForms() };
};

export async function action(args: ActionFunctionArgs) {
  const text = textOf(await args.request.formData(), 'text');
  let name = '';
  const { result, failure } = await tryApi(args, (client) =>
    submitProblemsOf(async () => {
      name = (await createWorkflow(client, text)).name;
    }),
  );
  if (name) throw redirectTo(`/workflows/${name}`);
  return data({ serverProblems: result ?? [fileProblem(failure?.message ?? '')] }, { status: 400 });
}

export default function NewWorkflow({ loaderData: { forms } }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const serverProblems = useActionData<typeof action>()?.serverProblems;
  const busy = useNavigation().state !== 'idle';
  const file = useRef<HTMLInputElement>(null);
  const [exampleName, setExampleName] = useState<ExampleName>('browser');
  const example: string = examples[exampleName];
  const editorText = useRef(example);
  const [isChanged, setIsChanged] = useState(false);
  const storeText = useCallback(
    (changedText: string) => {
      editorText.current = changedText;
      setIsChanged(changedText !== example);
    },
    [example],
  );
  const [isConfirmOpen, setIsConfirmOpen] = useState(false);
  const importFetcher = useFetcher<typeof importAction>();
  const { text, notes = [], error: importError } = importFetcher.data ?? {};
  return (
    <>
      <PageHeader
        breadcrumbs={workflowBreadcrumbs('New workflow')}
        title="New workflow"
        actions={
          <Form method="post" id="save" className="flex gap-2">
            <Select
              aria-label="Example"
              value={exampleName}
              // Another example would replace the changes.
              disabled={isChanged || Boolean(text)}
              onChange={({ currentTarget }) => {
                const name = currentTarget.value as ExampleName;
                editorText.current = examples[name];
                setExampleName(name);
              }}
            >
              <option value="browser">Browser example</option>
              <option value="desktop">Desktop example</option>
            </Select>
            <input
              ref={file}
              type="file"
              hidden
              aria-label="Workflow or recording file"
              accept=".yaml,.yml,.json"
              onChange={({ currentTarget }) => {
                const [selectedFile] = currentTarget.files ?? [];
                // Allows choosing the same file again.
                currentTarget.value = '';
                void selectedFile
                  ?.text()
                  .then((content) =>
                    importFetcher.submit({ text: content }, { method: 'post', action: '/workflows/import' }),
                  );
              }}
            />
            <Button onClick={() => (editorText.current === example ? file.current?.click() : setIsConfirmOpen(true))}>
              <Upload aria-hidden="true" /> Import
            </Button>
            <Button type="submit" variant="primary" disabled={busy}>
              Create
            </Button>
          </Form>
        }
      >
        <span className="text-sm text-muted">Import a YAML workflow or a Chrome DevTools recording.</span>
      </PageHeader>
      {importError && (
        <div className="mb-3">
          <Notice tone="bad">{importError}</Notice>
        </div>
      )}
      {notes.length > 0 && (
        <div className="mb-3">
          <Notice tone="warn">
            {notes.map((note) => (
              <span key={note} className="block">
                {note}
              </span>
            ))}
          </Notice>
        </div>
      )}
      <ConfirmDialog
        open={isConfirmOpen}
        title="Discard changes?"
        verb="Choose a file"
        back="Keep editing"
        onClose={() => setIsConfirmOpen(false)}
        onConfirm={() => {
          setIsConfirmOpen(false);
          file.current?.click();
        }}
      >
        The imported file replaces the workflow on this page, which is not saved.
      </ConfirmDialog>
      <WorkflowEditor
        key={text ?? exampleName}
        form="save"
        initial={text || example}
        savedText={example}
        onText={storeText}
        forms={forms}
        serverProblems={serverProblems}
      />
    </>
  );
}
