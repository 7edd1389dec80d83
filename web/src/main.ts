// The page: one source, one store, and what shows them.
import './style.css';
import { LiveSource } from './live';
import type { Source } from './source';
import { Store } from './store';
import { openReplay } from './replay';

async function chooseSource(): Promise<Source> {
  const recording = document.getElementById('recording');
  if (recording) return openReplay(recording);
  const mock = new URLSearchParams(location.search).get('mock');
  if (import.meta.env.MODE === 'mock' && mock !== null) return new (await import('./mock')).MockSource(mock || 'chain');
  return LiveSource.fromLocation(location);
}

async function start(): Promise<void> {
  const source = await chooseSource();
  const store = new Store(source);
  Object.assign(window, { catena: { source, state: () => store.status, frame: () => store.frame } });
  source.start();
}

void start();
