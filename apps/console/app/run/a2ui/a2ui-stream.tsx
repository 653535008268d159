import { A2uiSurface, type ReactComponentImplementation } from '@a2ui/react/v0_9';
import { MessageProcessor, type A2uiMessage, type SurfaceModel } from '@a2ui/web_core/v0_9';
import { useEffect, useState } from 'react';
import { followStream, type Connection } from '../../shared/event-source.ts';
import { catalog } from './a2ui-catalog.tsx';

export interface A2uiStreamProps {
  run: string;
  /** Receives an A2UI action of the viewer. */
  onAction: (action: object) => void;
  onConnection: (connection: Connection) => void;
}

type Surface = SurfaceModel<ReactComponentImplementation>;

/** The A2UI 0.9 stream of a run. After a lost connection it resumes on the same surface. */
export default function A2uiStream({ run, onAction, onConnection }: A2uiStreamProps) {
  const [surface, setSurface] = useState<Surface>();
  useEffect(() => {
    const processor = new MessageProcessor([catalog], onAction);
    const subscription = processor.onSurfaceCreated(setSurface);
    let lastId = '';
    const unsubscribe = followStream({
      // Without a complete message the stream starts again.
      url: () => `/api/v1/runs/${run}/a2ui${lastId === '' ? '' : `?after=${lastId}`}`,
      onMessage(data, id) {
        const message = JSON.parse(data) as A2uiMessage & { createSurface?: { surfaceId: string } };
        const surfaceId = message.createSurface?.surfaceId;
        if (surfaceId !== undefined && processor.model.getSurface(surfaceId))
          processor.processMessages([{ version: 'v0.9', deleteSurface: { surfaceId } }]);
        processor.processMessages([message]);
        lastId = id;
      },
      onConnection,
    });
    return () => {
      unsubscribe();
      subscription.unsubscribe();
      processor.model.dispose();
      setSurface(undefined);
    };
  }, [run, onAction, onConnection]);
  if (!surface) return <p className="text-sm text-muted">Connecting…</p>;
  return <A2uiSurface key={surface.id} surface={surface} />;
}
