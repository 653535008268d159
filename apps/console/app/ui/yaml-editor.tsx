import { classes } from '@pilothouse/ui-kit';
import { useEffect, useRef, useState } from 'react';
import type { Problem } from '../lib/yaml.server.ts';

/** Milliseconds without a key after which what was written is checked, and that the check may take. */
const quietMs = 400;
const answerMs = 10_000;

/** Pixels of a line: the numbers beside the text stand at the same height. */
const linePx = 20;

export interface YamlEditorProps {
  name: string;
  initial: string;
  /** What the API said of what was sent. */
  refused?: readonly Problem[] | undefined;
  onChange?: (changed: boolean) => void;
}

/** A workflow as text, checked while somebody writes it: what is wrong stands beside its line. */
export function YamlEditor({ name, initial, refused, onChange }: YamlEditorProps) {
  const [text, setText] = useState(initial);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refused) setProblems(refused);
  }, [refused]);
  useEffect(() => {
    if (text === initial) return;
    const gone = new AbortController();
    const timer = setTimeout(() => {
      const body = new URLSearchParams({ text });
      const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(answerMs)]);
      fetch('/workflows/check', { method: 'POST', body, signal })
        .then(async (answer) => answer.ok && setProblems((await answer.json()) as Problem[]))
        // The API checks what is sent, whether this was answered or not.
        .catch(() => undefined);
    }, quietMs);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [text, initial]);

  const goTo = ({ line, column }: Problem) => {
    const element = area.current;
    if (!element) return;
    const start =
      text
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length +
      (line > 1 ? 1 : 0) +
      column -
      1;
    element.focus();
    element.setSelectionRange(start, start);
    element.scrollTop = Math.max(0, (line - 5) * linePx);
  };
  const wrong = new Map(problems.map(({ line, detail }) => [line, detail]));
  return (
    <div className="grid gap-2">
      <div className="flex h-[60vh] min-h-72 overflow-hidden rounded-md border border-edge bg-surface font-mono text-xs leading-5">
        <div
          ref={gutter}
          aria-hidden="true"
          className="shrink-0 overflow-hidden bg-raised py-2 pr-2 pl-3 text-right text-muted select-none"
        >
          {text.split('\n').map((_, index) => (
            <div
              key={index}
              title={wrong.get(index + 1)}
              className={classes(wrong.has(index + 1) && 'font-bold text-bad')}
            >
              {index + 1}
            </div>
          ))}
        </div>
        <textarea
          ref={area}
          name={name}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            onChange?.(target.value !== initial);
          }}
          onScroll={({ currentTarget }) => {
            if (gutter.current) gutter.current.scrollTop = currentTarget.scrollTop;
          }}
          spellCheck={false}
          wrap="off"
          aria-label="Workflow in YAML"
          aria-invalid={problems.length > 0 || undefined}
          className="w-full resize-none bg-transparent p-2 whitespace-pre text-text"
        />
      </div>
      <ul aria-label="Problems" aria-live="polite" className="grid gap-1 text-sm">
        {problems.map((problem, index) => (
          <li key={index}>
            <button type="button" className="text-left text-bad hover:underline" onClick={() => goTo(problem)}>
              <span className="font-mono text-xs">
                {problem.line}:{problem.column}
              </span>{' '}
              {problem.detail}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
