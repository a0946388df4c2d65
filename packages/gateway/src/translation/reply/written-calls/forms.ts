import { python } from './python.ts'
import { type CallForm, elements, json, keys, named } from './read-form.ts'

/**
 * How models write calls of tools where their server does not know the form: what opens them, what closes them (`''`: the
 * end of the text), and how the calls stand between. An opening that ends with a bracket is a mark; at any other the call
 * itself begins. Where several lines open alike, the first one that reads the text counts.
 */
// biome-ignore format: a line is a form.
export const forms: readonly (readonly [opening: string, closing: string, form: CallForm])[] = [
  ['<tool_call>', '</tool_call>', json],                                // Hermes, Qwen
  ['<tool_call>', '</tool_call>', elements],                            // Qwen Coder, MiMo, Nemotron
  ['<tool_call>', '</tool_call>', keys],                                // GLM
  ['<tool_calls>', '</tool_calls>', json],                              // Hunyuan, MiniMax M1
  ['<tools>', '</tools>', json],                                        // Qwen 2.5 Coder
  ['<function_call>', '</function_call>', json],                        // xLAM, Granite 20B
  ['<function_calls>', '</function_calls>', elements],                  // DeepSeek, Claude's old form
  ['<minimax:tool_call>', '</minimax:tool_call>', elements],            // MiniMax M2
  ['<seed:tool_call>', '</seed:tool_call>', elements],                  // Seed OSS
  ['<｜DSML｜function_calls>', '</｜DSML｜function_calls>', elements],  // DeepSeek V3.2
  ['<｜DSML｜tool_calls>', '</｜DSML｜tool_calls>', elements],          // DeepSeek V4
  ['<invoke name=', '</invoke>', elements],
  ['<function=', '</function>', elements],
  ['<|tool_calls_section_begin|>', '<|tool_calls_section_end|>', named], // Kimi K2
  ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>', named],               // DeepSeek V3, R1
  ['[TOOL_CALLS]', '', json],                                           // Mistral
  ['[TOOL_CALLS]', '', named],                                          // Mistral from its tokenizer 11 on
  ['<|tool_call_start|>', '<|tool_call_end|>', python],                 // LFM2
  ['<|python_tag|>', '', json],                                         // Llama 3
  ['<|python_tag|>', '', python],
  ['<TOOLCALL>', '</TOOLCALL>', json],                                  // Nemotron Nano
  ['<|tool_call|>', '', json],                                          // Granite 3, Phi 4 mini
  ['<|action_start|><|plugin|>', '<|action_end|>', json],               // InternLM
]

/** Without any mark: the reply is nothing but calls. */
export const bareForms: readonly CallForm[] = [
  { ...json, canBegin: (head) => canBeginBare(head.replace(/^[\s[{]+/, '')) },
  { ...python, canBegin: (head, offered) => head.startsWith('[') && python.canBegin(head, offered) },
]

function canBeginBare(text: string): boolean {
  return fields.some((field) => field.startsWith(text) || text.startsWith(field))
}

const fields: readonly string[] = ['"name"', '"type"', '"function"', '"arguments"', '"parameters"', '"id"']
