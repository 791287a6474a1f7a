import { BUILT_IN_PRESETS, type BuiltInPreset } from '../../common/model/exports/export-options.ts';
import { EXIT } from '../exit-codes.ts';
import type { Command } from '../words/command.ts';

const BUILT_IN_WORDS: Readonly<Record<BuiltInPreset, string>> = {
  excel: "opens by a double click in the Excel of this computer's region",
  rfc4180: 'for programs, every text quoted and guarded',
  channelscope: 'for another Channelscope, every value as it is',
};

const list: Command = {
  name: 'preset list',
  summary: 'lists the presets for exports, built-in and your own',
  operands: '',
  maxOperands: 0,
  options: [],
  about: `Your own are saved in the export window. With --json each is {"name","format","isBuiltIn"}.`,
  async run({ out, open }) {
    const { presets } = await (await open()).call('exports/read-choices', null);
    const all = [
      ...BUILT_IN_PRESETS.map((name) => ({
        name: name,
        format: 'csv',
        isBuiltIn: true,
        words: BUILT_IN_WORDS[name],
      })),
      ...presets.map(({ name, choices }) => ({
        name,
        format: choices.format,
        isBuiltIn: false,
        words: 'your own',
      })),
    ];
    for (const { name, format, isBuiltIn } of all) await out.json({ name, format, isBuiltIn });
    await out.table(
      ['name', 'format', 'what it is'],
      all.map(({ name, format, words }) => [name, format, words]),
    );
    return EXIT.done;
  },
};

export const PRESET_COMMANDS: readonly Command[] = [list];
