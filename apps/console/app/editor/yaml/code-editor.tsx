import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Annotation, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState, type Ref } from 'react';
import type { Problem } from '../../workflows/workflow-yaml.server.ts';
import { completeWorkflow, loadWorkflowSchema } from './completion.ts';
import { diagnosticsOf, positionOf, replacementOf } from './editor-text.ts';
import { markedLinesField, setMarkedLines, type MarkedLines } from './marked-lines.ts';
import { editorTheme } from './theme.ts';

export interface CodeEditorHandle {
  /** Moves the cursor and the focus. @param line from 1 @param column from 1 */
  goTo: (line: number, column: number) => void;
}

export interface CodeEditorProps {
  label: string;
  text: string;
  onText: (text: string) => void;
  problems: readonly Problem[];
  markedLines: MarkedLines | undefined;
  onLine: ((line: number) => void) | undefined;
  ref?: Ref<CodeEditorHandle>;
}

/** Marks changes by the page, such as edits in the graph and undo. */
const externalChange = Annotation.define<boolean>();

/** Nonce of the page. Its content security policy requires it for style elements. */
const nonce = () => document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';

/**
 * The page handles undo and redo, for graph, form and text together. Tab moves the focus; Ctrl+] and Ctrl+[ change the
 * indentation.
 */
const extensions: Extension = [
  lineNumbers(),
  lintGutter(),
  drawSelection(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  bracketMatching(),
  closeBrackets(),
  indentOnInput(),
  indentUnit.of('  '),
  EditorState.tabSize.of(2),
  yaml(),
  autocompletion({ override: [completeWorkflow], icons: false }),
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...searchKeymap, ...defaultKeymap]),
  markedLinesField,
  editorTheme,
];

/** CodeMirror with the text of a workflow. */
export default function CodeEditor({ label, text, onText, problems, markedLines, onLine, ref }: CodeEditorProps) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const handlers = useRef({ onText, onLine });
  const initialText = useRef(text);
  const [completionError, setCompletionError] = useState<string | null>(null);
  useLayoutEffect(() => {
    handlers.current = { onText, onLine };
  });
  useLayoutEffect(() => {
    if (!parent.current) return;
    const editor = new EditorView({
      parent: parent.current,
      doc: initialText.current,
      extensions: [
        extensions,
        EditorView.cspNonce.of(nonce()),
        EditorView.contentAttributes.of({
          'aria-label': label,
          tabindex: '0',
          spellcheck: 'false',
          autocapitalize: 'off',
        }),
        EditorView.updateListener.of(({ state, docChanged, selectionSet, transactions }) => {
          if (transactions.some((transaction) => transaction.annotation(externalChange))) return;
          if (docChanged) handlers.current.onText(state.doc.toString());
          if (docChanged || selectionSet) handlers.current.onLine?.(state.doc.lineAt(state.selection.main.head).number);
        }),
      ],
    });
    view.current = editor;
    let isMounted = true;
    void loadWorkflowSchema().then((error) => isMounted && setCompletionError(error));
    return () => {
      isMounted = false;
      editor.destroy();
    };
  }, [label]);

  useLayoutEffect(() => {
    const changes = view.current && replacementOf(view.current.state.doc.toString(), text);
    if (changes) view.current?.dispatch({ changes, annotations: externalChange.of(true) });
  }, [text]);
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    editor.contentDOM.setAttribute('aria-invalid', String(problems.length > 0));
    editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state.doc, problems)));
  }, [problems]);
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    editor.dispatch({ effects: setMarkedLines.of(markedLines ?? null), annotations: externalChange.of(true) });
    if (markedLines && !editor.hasFocus) revealLine(editor, markedLines.first);
  }, [markedLines]);
  useImperativeHandle(
    ref,
    () => ({
      goTo(line, column) {
        const editor = view.current;
        if (!editor) return;
        const anchor = positionOf(editor.state.doc, line, column);
        editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
        editor.focus();
      },
    }),
    [],
  );
  return (
    <div className="flex h-full flex-col">
      <div ref={parent} className="min-h-0 flex-1 font-mono" />
      {completionError !== null && (
        <p role="status" className="border-t border-line px-2 py-1 text-xs text-warn">
          Completion is not available. {completionError}
        </p>
      )}
    </div>
  );
}

/** Scrolls the editor to a line that is out of view. The page does not scroll. */
function revealLine(editor: EditorView, line: number): void {
  editor.requestMeasure({
    read: () => editor.lineBlockAt(positionOf(editor.state.doc, line, 1)),
    write: ({ top, bottom }) => {
      const { scrollTop, clientHeight } = editor.scrollDOM;
      if (top < scrollTop || bottom > scrollTop + clientHeight) editor.scrollDOM.scrollTop = Math.max(0, top - 80);
    },
  });
}
