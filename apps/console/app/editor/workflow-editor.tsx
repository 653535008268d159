import { DEFAULT_SURFACE, surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import { Button, Card, classes, Notice, Select } from '@pilothouse/ui-kit';
import { Code, Maximize2, Minimize2 } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { flushSync } from 'react-dom';
import { diffLines } from '@pilothouse/core/workflow/line-diff';
import {
  duplicateStep,
  insertStep,
  moveStep,
  removeStep,
  setField,
  shiftStep,
  type EditResult,
} from '../workflow-document/edit-steps.ts';
import { acceptsSteps, type Forms } from './form/action-forms.ts';
import { createHistory, change, redo, undo } from '../workflow-document/undo-history.ts';
import { allSteps } from '../workflow-document/workflow-outline.ts';
import { keyOf, positionOf, type Path } from '../workflow-document/yaml-path.ts';
import { EditorToolbar } from './editor-toolbar.tsx';
import type { Problem } from '../workflows/workflow-yaml.server.ts';
import { DiffView } from '../shared/diff-view.tsx';
import { isSurfaceKind } from '../shared/surface-labels.ts';
import { UnsavedChanges } from '../shared/unsaved-changes.tsx';
import type { CodeEditorHandle } from './yaml/code-editor.tsx';
import { YamlEditor } from './yaml/yaml-editor.tsx';
import { ActionPicker } from './form/action-picker.tsx';
import { GraphContext, type GraphState } from './graph/graph-context.ts';
import { LiveElementPicker } from './live-element-picker.tsx';
import { commandOf, type StepCommand } from './form/step-commands.ts';
import { StepForm } from './form/step-form.tsx';
import { TestRun, type StepStatuses } from './test-run.tsx';
import { useFormFocus, useLinkedStep } from './form/use-step-focus.ts';
import { useLint } from './use-lint.ts';
import { problemsByStep, useWorkflowOutline } from './use-workflow-outline.ts';

const GraphCanvas = lazy(() => import('./graph/graph-canvas.tsx'));

export interface WorkflowEditorProps {
  /** Id of the form that submits the text as its field `text`. */
  form: string;
  initial: string;
  forms: Forms;
  serverProblems: readonly Problem[] | undefined;
  /** The stored text; any other text is an unsaved change. Default: `initial`. */
  savedText?: string;
  onText?: (text: string) => void;
  /** Published version for the comparison. */
  published?: { version: number; yaml: string } | undefined;
}

/** Editor of a workflow as graph, form and text. All three edit the same file. */
export function WorkflowEditor({
  form,
  initial,
  savedText = initial,
  onText,
  forms,
  serverProblems,
  published,
}: WorkflowEditorProps) {
  const [history, setHistory] = useState(() => createHistory(initial));
  const [selected, setSelected] = useState<string | null>(null);
  const [insertPosition, setInsertPosition] = useState<{ list: Path; index: number } | null>(null);
  const [fieldToPick, setFieldToPick] = useState<{ step: Path; field: Path } | null>(null);
  const [notice, setNotice] = useState('');
  const [stepStatuses, setStepStatuses] = useState<StepStatuses>(new Map());
  const [showsDiff, setShowsDiff] = useState(false);
  const [isYamlWide, setIsYamlWide] = useState(false);
  const yamlEditor = useRef<CodeEditorHandle>(null);
  const [isHydrated, setIsHydrated] = useState(false);
  useEffect(() => setIsHydrated(true), []);
  const { text } = history;
  useEffect(() => onText?.(text), [onText, text]);
  const { problems, sentences } = useLint(text, { initial, savedText, serverProblems });

  const isBlockAction = useCallback((action: string) => acceptsSteps(forms, action), [forms]);
  const { outline, isReadable } = useWorkflowOutline(text, isBlockAction);
  const steps = useMemo(() => (outline ? allSteps(outline.steps) : []), [outline]);
  const step = steps.find(({ key }) => key === selected);
  useLinkedStep(steps, setSelected);
  const { formRef, focusForm, onFormKey } = useFormFocus(step?.key);
  const stepProblems = useMemo(() => problemsByStep(problems, steps), [problems, steps]);

  const apply = useCallback(
    (operation: (text: string) => EditResult | null, changedField?: string) => {
      try {
        const edited = operation(text);
        if (!edited) return;
        setNotice('');
        setHistory((current) => change(current, edited.text, performance.now(), changedField));
        setSelected(edited.path.length > 0 ? keyOf(edited.path) : null);
      } catch (error) {
        setNotice(error instanceof Error ? error.message : String(error));
      }
    },
    [text],
  );
  const isDirty = useCallback(() => text !== savedText, [text, savedText]);
  const onCommand = (command: StepCommand) => {
    if (!step) return;
    const { list, index } = positionOf(step.path);
    if (command === 'add') return setInsertPosition({ list, index: index + 1 });
    if (command === 'remove') return apply((current) => removeStep(current, step.path));
    if (command === 'duplicate') return apply((current) => duplicateStep(current, step.path));
    const innerListOf = (path: Path) => steps.find(({ key }) => key === keyOf(path))?.lists[0]?.path ?? null;
    return apply((current) => shiftStep(current, step.path, command, innerListOf));
  };
  const onKey = (event: KeyboardEvent) => {
    const command = commandOf(event);
    if (!command) return undefined;
    event.preventDefault();
    event.stopPropagation();
    onCommand(command);
    return command;
  };
  const onUndo = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
    const key = event.key.toLowerCase();
    if (key !== 'z' && key !== 'y') return;
    event.preventDefault();
    setHistory(key === 'y' || event.shiftKey ? redo : undo);
  };
  const graph = useMemo<GraphState>(
    () => ({
      selected,
      problems: stepProblems,
      stepStatuses,
      sentences: sentences ?? {},
      onSelect: setSelected,
      onAdd: (list, index) => setInsertPosition({ list, index }),
    }),
    [selected, stepProblems, stepStatuses, sentences],
  );

  const onKeyDown = (event: KeyboardEvent) => {
    onUndo(event);
    // The code editor handles Escape while it shows completions or a search.
    if (event.key === 'Escape' && !event.defaultPrevented) setIsYamlWide(false);
  };

  return (
    <div className="grid gap-3" onKeyDown={onKeyDown}>
      <UnsavedChanges isDirty={isDirty} />
      <EditorToolbar
        history={history}
        onHistory={setHistory}
        onAdd={outline ? () => setInsertPosition({ list: ['steps'], index: outline.steps.steps.length }) : undefined}
      >
        <TestRun
          text={text}
          inputs={outline?.inputs ?? {}}
          steps={steps}
          disabled={!isReadable || problems.length > 0}
          onStepStatuses={setStepStatuses}
        />
      </EditorToolbar>
      {notice && <Notice tone="bad">{notice}</Notice>}
      {!isReadable && <Notice tone="warn">Invalid YAML. The graph shows the last valid version.</Notice>}
      <div
        className={classes(
          'grid items-start gap-3',
          !isYamlWide && 'lg:grid-cols-2 xl:grid-cols-[minmax(0,4fr)_minmax(0,3fr)_minmax(0,5fr)]',
        )}
      >
        <Card title="Graph" flush className={isYamlWide ? 'hidden' : ''}>
          <div className="h-[66vh] min-h-80">
            {!isHydrated && <LoadingGraph />}
            {isHydrated && outline && (
              <Suspense fallback={<LoadingGraph />}>
                <GraphContext value={graph}>
                  <GraphCanvas
                    root={outline.steps}
                    onMove={(step, list, index) => apply((current) => moveStep(current, step, list, index))}
                    onKey={onKey}
                  />
                </GraphContext>
              </Suspense>
            )}
          </div>
        </Card>
        <Card
          title="Step"
          className={isYamlWide ? 'hidden' : 'lg:max-xl:row-start-2'}
          actions={
            step && (
              <Button
                variant="quiet"
                onClick={() => {
                  // A hidden editor cannot get the focus.
                  flushSync(() => setShowsDiff(false));
                  yamlEditor.current?.goTo(step.lines.first, 1);
                }}
              >
                <Code aria-hidden="true" /> Show in YAML
              </Button>
            )
          }
        >
          {step ? (
            <div ref={formRef} onKeyDown={onFormKey}>
              <StepForm
                step={step}
                forms={forms}
                problems={problems}
                onCommand={onCommand}
                onAddInside={(list, index) => setInsertPosition({ list, index })}
                onPick={
                  isReadable && outline && isSurfaceKind(outline.surface) && surfaceTraits[outline.surface].isPaged
                    ? (field) => setFieldToPick({ step: step.path, field })
                    : undefined
                }
                onSet={(field, value) =>
                  apply(
                    (current) => ({ ...setField(current, step.path, field, value), path: step.path }),
                    keyOf([...step.path, ...field]),
                  )
                }
              />
            </div>
          ) : (
            <p className="text-sm text-muted">
              Select a step to edit it. Drag it, or press Alt + arrow keys, to move it.
            </p>
          )}
        </Card>
        <Card
          title="YAML"
          actions={
            <>
              {published && (
                <Select
                  aria-label="YAML view"
                  value={showsDiff ? 'diff' : 'text'}
                  onChange={({ target }) => setShowsDiff(target.value === 'diff')}
                  className="w-auto!"
                >
                  <option value="text">Source</option>
                  <option value="diff">Compare with v{published.version} (published)</option>
                </Select>
              )}
              <Button
                variant="quiet"
                icon
                aria-pressed={isYamlWide}
                aria-label="Wide YAML"
                title={isYamlWide ? 'Show graph and step (Escape)' : 'Wide YAML: hide graph and step'}
                onClick={() => setIsYamlWide(!isYamlWide)}
              >
                {isYamlWide ? <Minimize2 aria-hidden="true" /> : <Maximize2 aria-hidden="true" />}
              </Button>
            </>
          }
        >
          {showsDiff && published && <DiffView lines={diffLines(published.yaml, text)} />}
          <div hidden={showsDiff}>
            <YamlEditor
              ref={yamlEditor}
              name="text"
              form={form}
              text={text}
              onText={(newText) => setHistory((current) => change(current, newText, performance.now(), 'text'))}
              problems={problems}
              markedLines={step?.lines}
              isTall={isYamlWide}
              onLine={(line) =>
                setSelected(steps.findLast(({ lines }) => lines.first <= line && line <= lines.last)?.key ?? selected)
              }
            />
          </div>
        </Card>
      </div>
      <LiveElementPicker
        text={text}
        inputs={outline?.inputs ?? {}}
        step={fieldToPick?.step ?? null}
        onClose={() => setFieldToPick(null)}
        onPick={(target) => {
          setFieldToPick(null);
          if (fieldToPick)
            apply((current) => ({
              ...setField(current, fieldToPick.step, fieldToPick.field, target),
              path: fieldToPick.step,
            }));
        }}
      />
      <ActionPicker
        open={insertPosition !== null}
        forms={forms}
        surface={outline?.surface ?? DEFAULT_SURFACE}
        onClose={() => setInsertPosition(null)}
        onPick={(action) => {
          setInsertPosition(null);
          if (!insertPosition) return;
          apply((current) => insertStep(current, insertPosition.list, insertPosition.index, { action }));
          focusForm();
        }}
      />
    </div>
  );
}

const LoadingGraph = () => (
  <p role="status" className="p-4 text-sm text-muted">
    Loading graph…
  </p>
);
