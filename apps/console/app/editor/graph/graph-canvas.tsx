import {
  applyNodeChanges,
  Controls,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  ViewportPortal,
  type Edge,
  type Node,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useContext, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { layoutGraph, sizes, slotAt, type GraphLayout, type Slot } from './graph-layout.ts';
import { allSteps, type OutlineList } from '../../workflow-document/workflow-outline.ts';
import type { Path } from '../../workflow-document/yaml-path.ts';
import type { StepCommand } from '../form/step-commands.ts';
import { GraphContext } from './graph-context.ts';
import { AddNode, LabelNode, StepNode } from './graph-nodes.tsx';
import './graph.css';

const nodeTypes = { step: StepNode, add: AddNode, label: LabelNode };

/** Margin around the graph in pixels. */
const MARGIN_PX = 16;

const minZoom = 0.3;

export interface GraphCanvasProps {
  root: OutlineList;
  onMove: (step: Path, list: Path, index: number) => void;
  /** @returns the command of the key */
  onKey: (event: KeyboardEvent) => StepCommand | undefined;
}

/** Canvas with the steps of a workflow. Steps can be dragged to other positions, into blocks and out of them. */
export default function GraphCanvas(props: GraphCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ root, onMove, onKey }: GraphCanvasProps) {
  const layout = useMemo(() => layoutGraph(root), [root]);
  const [nodes, setNodes] = useState<Node[]>([]);
  const [drop, setDrop] = useState<Slot | null>(null);
  const area = useRef<HTMLDivElement>(null);
  const { selected, onSelect } = useContext(GraphContext);
  const { screenToFlowPosition, getViewport, setViewport } = useReactFlow();
  useEffect(() => setNodes(nodesOf(layout)), [layout]);
  const edges = useMemo<Edge[]>(
    () =>
      layout.links.map(({ source, target }) => ({
        id: `${source} ${target}`,
        source,
        target,
        type: 'straight',
        focusable: false,
      })),
    [layout],
  );

  // Centers the graph and fits its width, also after the window is resized.
  const { width } = layout;
  useEffect(() => {
    const element = area.current;
    if (!element) return;
    const center = () => {
      const available = element.clientWidth;
      const zoom = Math.min(1, Math.max(minZoom, (available - 2 * MARGIN_PX) / width));
      void setViewport({ x: (available - width * zoom) / 2, y: Math.min(MARGIN_PX, getViewport().y), zoom });
    };
    const observer = new ResizeObserver(center);
    observer.observe(element);
    return () => observer.disconnect();
  }, [width, getViewport, setViewport]);

  const scrollIntoView = (key: string) => {
    const element = area.current?.querySelector<HTMLElement>(`[data-step="${CSS.escape(key)}"]`);
    if (!element || !area.current) return;
    const [inner, outer] = [element.getBoundingClientRect(), area.current.getBoundingClientRect()];
    const down = inner.top < outer.top ? outer.top - inner.top : Math.min(0, outer.bottom - inner.bottom);
    const across = inner.left < outer.left ? outer.left - inner.left : Math.min(0, outer.right - inner.right);
    if (down === 0 && across === 0) return;
    const { x, y, zoom } = getViewport();
    void setViewport({ x: x + across + Math.sign(across) * 16, y: y + down + Math.sign(down) * 16, zoom });
  };
  // A step that was moved by keyboard keeps the focus.
  const isKeyboardMove = useRef(false);
  useEffect(() => {
    if (selected === null) return;
    scrollIntoView(selected);
    if (!isKeyboardMove.current) return;
    const element = area.current?.querySelector<HTMLElement>(`[data-step="${CSS.escape(selected)}"]`);
    // The node is not rendered yet: the canvas receives keys until it is.
    if (!element) return area.current?.focus({ preventScroll: true });
    isKeyboardMove.current = false;
    element.focus({ preventScroll: true });
  }, [selected, nodes]);

  const onCanvasKeyDown = (event: KeyboardEvent) => {
    const distance = event.altKey ? 0 : event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (distance === 0) {
      // The form of a new step gets the focus.
      isKeyboardMove.current = onKey(event) !== 'add';
      return;
    }
    isKeyboardMove.current = true;
    event.preventDefault();
    const steps = allSteps(root);
    const index = steps.findIndex(({ key }) => key === selected);
    const next = steps[Math.min(steps.length - 1, Math.max(0, index + distance))];
    if (next) onSelect(next.key);
  };
  const slotUnder = (event: MouseEvent | TouchEvent, node: Node) => {
    const { clientX, clientY } = 'clientX' in event ? event : (event.changedTouches[0] ?? { clientX: 0, clientY: 0 });
    const { step } = node.data as unknown as { step: { path: Path } };
    return { path: step.path, slot: slotAt(layout, screenToFlowPosition({ x: clientX, y: clientY }), step.path) };
  };
  return (
    <div ref={area} tabIndex={-1} className="h-full" role="group" aria-label="Steps" onKeyDown={onCanvasKeyDown}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        onNodesChange={(changes) => setNodes((now) => applyNodeChanges(changes, now))}
        onNodeDrag={(event, node) => setDrop(slotUnder(event as unknown as MouseEvent, node).slot)}
        onNodeDragStop={(event, node) => {
          const { path, slot } = slotUnder(event as unknown as MouseEvent, node);
          setDrop(null);
          setNodes(nodesOf(layout));
          if (slot) onMove(path, slot.list, slot.index);
        }}
        nodeDragThreshold={4}
        nodesFocusable={false}
        edgesFocusable={false}
        nodesConnectable={false}
        elementsSelectable={false}
        deleteKeyCode={null}
        disableKeyboardA11y
        // The attribution link is too small for touch.
        proOptions={{ hideAttribution: true }}
        panOnScroll
        zoomOnScroll={false}
        minZoom={minZoom}
        maxZoom={1.5}
        defaultViewport={{ x: MARGIN_PX, y: MARGIN_PX, zoom: 1 }}
      >
        <Controls showInteractive={false} position="bottom-right" />
        {drop && (
          <ViewportPortal>
            <div
              className="pointer-events-none absolute h-1 rounded bg-primary"
              style={{ transform: `translate(${drop.x}px, ${drop.y - 2}px)`, width: drop.width }}
            />
          </ViewportPortal>
        )}
      </ReactFlow>
    </div>
  );
}

/** Converts the layout to React Flow nodes. Parents precede their children. */
function nodesOf({ steps, lists }: GraphLayout): Node[] {
  const fixed = { draggable: false } as const;
  const inside = (parent: string | null) => (parent === null ? {} : { parentId: parent });
  return [
    ...steps.map((box): Node => {
      const { x, y, width, height, parent, step } = box;
      return { id: step.key, type: 'step', position: { x, y }, width, height, data: { ...box }, ...inside(parent) };
    }),
    ...lists.flatMap((box): Node[] => {
      const { key, add, label, parent } = box;
      const { x, y, width, height } = add;
      const data = { ...box };
      return [
        { id: `${key} +`, type: 'add', position: { x, y }, width, height, data, ...fixed, ...inside(parent) },
        ...(label
          ? [
              {
                id: `${key} label`,
                type: 'label',
                position: label,
                width: sizes.width / 2,
                height: sizes.label,
                data,
                ...fixed,
                ...inside(parent),
              },
            ]
          : []),
      ];
    }),
  ];
}
