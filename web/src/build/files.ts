// Scenes in and out: save as YAML, open or drop a file, begin anew.
import { download } from '../dom';
import type { BuildHost } from './host';

const kLargest = 16e6;   // bytes of a scene file

export const kNewFlat = 'title: My mechanism\ngravity: [0, -9.81, 0]\noptions: {dt: 1e-3}\n';
export const kNewInSpace = 'title: My mechanism\ngravity: [0, 0, -9.81]\noptions: {dt: 1e-3}\n';

export class Files {
  private input = document.createElement('input');

  constructor(private readonly host: BuildHost, private readonly opened: () => void) {
    this.input.type = 'file';
    this.input.accept = '.yaml,.yml,.json';
    this.input.hidden = true;
    this.input.setAttribute('aria-label', 'Scene file');
    this.input.addEventListener('change', () => { void this.read(this.input.files?.[0]); this.input.value = ''; });
    host.stage.append(this.input);
    host.source.onSaved((saved) => download(this.name(), saved.text, 'application/yaml'));
    this.acceptDrops(host.stage);
  }

  save(): void { this.host.source.send({ type: 'save' }); }
  open(): void { this.input.click(); }

  async load(text: string): Promise<boolean> {
    const reply = await this.host.store.ask({ type: 'load', text });
    if (!reply.ok && this.host.store.problem?.message !== reply.message) this.host.toast(reply.message, 'error');
    if (reply.ok && this.host.store.problem) this.host.store.dismissProblem();
    if (reply.ok) this.opened();
    return reply.ok;
  }

  private async read(file: File | undefined): Promise<void> {
    if (!file) return;
    if (file.size > kLargest) { this.host.toast(`${file.name} has ${(file.size / 1e6).toFixed(0)} MB; scenes up to ${kLargest / 1e6} MB can be opened here.`, 'error'); return; }
    await this.load(await file.text());
  }

  private acceptDrops(stage: HTMLElement): void {
    const mark = (on: boolean) => stage.classList.toggle('build-drop', on);
    stage.addEventListener('dragover', (event) => { if (event.dataTransfer?.types.includes('Files')) { event.preventDefault(); mark(true); } });
    stage.addEventListener('dragleave', () => mark(false));
    stage.addEventListener('drop', (event) => {
      mark(false);
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      void this.read(event.dataTransfer.files[0]);
    });
  }

  private name(): string {
    const title = this.host.structure()?.title || 'scene';
    return `${title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'scene'}.yaml`;
  }
}
