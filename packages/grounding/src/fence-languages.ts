/** Whether clients show a fence of this language as text. Of any other one may render it: diagrams, charts, pages, formulas. */
export function isShownAsText(language: string): boolean {
  return shownAsText.has(language.toLowerCase())
}

const shownAsText: ReadonlySet<string> = new Set([
  '',
  ...'text txt plain plaintext code output log console terminal shell sh bash zsh fish shellsession sh-session'.split(
    ' ',
  ),
  ...'powershell ps1 pwsh bat batch cmd dos vim viml tmux awk sed regex diff patch csv tsv ini toml yaml yml'.split(
    ' ',
  ),
  ...'json json5 jsonc jsonl ndjson properties env dotenv conf config nginx apache http graphql gql proto'.split(' '),
  ...'protobuf thrift avro dockerfile docker makefile make cmake ninja bazel starlark gradle hcl terraform tf'.split(
    ' ',
  ),
  ...'nix puppet javascript js mjs cjs node jsx typescript ts mts cts tsx css scss sass less stylus python py'.split(
    ' ',
  ),
  ...'python3 pycon ipython r julia jl matlab octave c h cpp c++ cc cxx hpp objective-c objc objectivec csharp'.split(
    ' ',
  ),
  ...'c# cs fsharp f# vb vbnet vba java kotlin kt kts scala groovy clojure clj go golang rust rs zig nim d swift'.split(
    ' ',
  ),
  ...'dart ruby rb perl pl php lua luau tcl haskell hs ocaml ml elm erlang erl elixir ex exs lisp elisp scheme'.split(
    ' ',
  ),
  ...'racket prolog sql mysql postgresql postgres pgsql plsql tsql sqlite cypher sparql solidity sol vyper move'.split(
    ' ',
  ),
  ...'wasm wat asm assembly nasm llvm glsl hlsl wgsl cuda verilog vhdl systemverilog fortran f90 cobol pascal'.split(
    ' ',
  ),
  ...'delphi ada abap apex gdscript crystal reason v odin mojo promql kql spl jq cron crontab systemd udev'.split(' '),
])
