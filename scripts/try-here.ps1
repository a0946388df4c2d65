# Tries csp on a real Windows machine and writes a report to send in: install, login, one search of each strategy, a
# service of Task Scheduler, what to look at after a reboot, uninstall. What csp says of a search is numbers; no question,
# no answer, no key and no account stand in the report, and your name, home and machine are replaced.
#
#   powershell -ExecutionPolicy Bypass -File try-here.ps1
#   ... -Yes            asks nothing, except what the login asks
#   ... -AfterReboot    looks whether the service came back, and adds that to the report
#   ... -Sandbox        without an account: searches of the sandbox, which invents all pages
#   ... -Csp COMMAND    how csp is called, with commas between the words; by default npx.cmd,--yes,claude-search-proxy, in
#                       a checkout its own
param(
  [switch]$Yes,
  [switch]$AfterReboot,
  [switch]$Sandbox,
  [string[]]$Csp,
  [string]$Report = 'csp-report.txt'
)

# A profile may have set these otherwise: a step that fails must not end the script.
$ErrorActionPreference = 'Continue'
$PSNativeCommandUseErrorActionPreference = $false
# csp writes UTF-8; Windows PowerShell 5.1 would read it in the code page of the console.
try { [Console]::OutputEncoding = [Text.Encoding]::UTF8 } catch { Write-Host "The report may show wrong letters: $_" }

$launcher = Join-Path $PSScriptRoot '..\bin\csp.mjs'
if (-not $Csp) {
  $Csp = @(if (Test-Path $launcher) { 'node'; (Resolve-Path $launcher).Path } else { 'npx.cmd'; '--yes'; 'claude-search-proxy' })
} elseif ($Csp.Count -eq 1) {
  # With -File a list arrives as one text.
  $Csp = $Csp[0] -split ','
}

$port = '52489'
$env:CSP_PORT = $port
$env:CSP_NO_UPDATE_CHECK = '1'
$env:NO_COLOR = '1'
if ($Sandbox) { $env:CSP_SANDBOX = '1' }
$script:failed = 0

$names = @(
  @($env:USERPROFILE, '~'), @($env:USERNAME, 'USER'), @($env:COMPUTERNAME, 'HOST'), @($env:USERDOMAIN, 'DOMAIN')
)

# Names of this person and machine, in any letters and with any slashes, and whatever looks like a key, an account or a
# login link. A folder may also be named in the short form, as in C:\Users\BOBSMI~1.
function Clean([string]$Text) {
  foreach ($pair in $names) {
    if (-not $pair[0]) { continue }
    $word = [regex]::Escape($pair[0]) -replace '\\\\', '[\\/]+'
    $Text = $Text -replace "(?<![A-Za-z0-9])$word(?![A-Za-z0-9])", $pair[1]
  }
  $Text = $Text -replace '([\\/]Users[\\/]+)[^\\/\s"]+', '${1}USER'
  $Text = $Text -replace 'csp_[A-Za-z0-9_-]{20,}', 'KEY' -replace 'sk-ant-[A-Za-z0-9_-]*', 'TOKEN'
  $Text = $Text -replace '[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.-]+', 'MAIL'
  $Text -replace 'https://claude\.[a-z]+/\S*', 'LOGIN-LINK'
}

function Note([string]$Text) { Add-Content -Encoding UTF8 -Path $Report -Value (Clean $Text) }

function Wanted([string]$Question) {
  if ($Yes) { return $true }
  (Read-Host "$Question [Y/n]") -match '^(y|yes)?$'
}

# Runs csp, shows what it says, and notes it with its code and seconds.
function Step([string]$Title, [string[]]$Words) {
  Write-Host "== $Title"
  $all = @($Csp | Select-Object -Skip 1) + $Words
  $begun = Get-Date
  $global:LASTEXITCODE = $null
  try {
    # What a program writes to standard error arrives as error records.
    $lines = & $Csp[0] @all 2>&1 | ForEach-Object { if ($_ -is [Management.Automation.ErrorRecord]) { $_.Exception.Message } else { "$_" } }
  } catch {
    $lines = "$_"
  }
  $said = $lines -join "`n"
  $code = if ($null -eq $LASTEXITCODE) { 'none, it did not start' } else { $LASTEXITCODE }
  $seconds = [int]((Get-Date) - $begun).TotalSeconds
  Write-Host $said
  Note "== ${Title}: code $code, $seconds s"
  foreach ($line in ($said -split "`r?`n")) { Note "   $line" }
  if ($code -ne 0) { $script:failed++ }
  return ($code -eq 0)
}

function End-Here {
  Write-Host "The report is in $Report. Please read it, then send it in."
  exit $(if ($script:failed -eq 0) { 0 } else { 1 })
}

if ($AfterReboot) {
  Note "After a reboot, $((Get-Date).ToUniversalTime().ToString('s'))Z"
  [void](Step 'the service after a reboot' @('status'))
  if (Wanted 'Remove the service now?') { [void](Step 'no more at login' @('stop', '--at-login')) }
  End-Here
}

# What csp had here before is not this script's to remove.
$had = (Test-Path "$env:USERPROFILE\.config\csp") -or (Test-Path "$env:USERPROFILE\.local\state\csp")
Set-Content -Encoding UTF8 -Path $Report -Value "csp on a real machine, $((Get-Date).ToUniversalTime().ToString('s'))Z"
Note "system: Windows $([Environment]::OSVersion.Version) $env:PROCESSOR_ARCHITECTURE, PowerShell $($PSVersionTable.PSVersion)"
# The version that a program prints, or that there is none.
function VersionOf([string]$Program) { try { & $Program --version 2>$null } catch { 'missing' } }

Note "node $(VersionOf 'node'), npm $(VersionOf 'npm.cmd')"
Note "called by: $($Csp -join ' ')$(if ($Sandbox) { ', on the sandbox' })"

if (-not (Step 'install' @('--version'))) { Write-Host "csp does not run: see $Report."; exit 1 }
if (-not $Sandbox -and (Wanted 'Sign in, where the CLI is signed out? csp asks before it fetches the CLI.')) {
  # In this terminal, since it asks; what it says is not noted.
  $words = @($Csp | Select-Object -Skip 1) + @('login')
  if ($Yes) { $words += '--yes' }
  & $Csp[0] @words
  Note "== login: code $LASTEXITCODE"
}
[void](Step 'doctor' @('doctor'))
if (Wanted 'Make one search of each strategy? They are some six searches on your plan.') {
  [void](Step 'searches' @('doctor', '--live'))
}

$isService = $false
if (Wanted 'Install csp as a service of this user?') {
  if (Step 'at login' @('start', '--at-login', '--port', $port)) {
    $isService = $true
    [void](Step 'restart' @('restart'))
  } else {
    Note 'No service here; csp start instead.'
    $words = @($Csp | Select-Object -Skip 1) + @('stop', '--at-login')
    & $Csp[0] @words *> $null
    [void](Step 'start' @('start', '--port', $port))
  }
  [void](Step 'status' @('status'))
}

if ($isService -and -not $Yes -and (Wanted 'Keep the service, to see whether it comes back after a reboot?')) {
  Write-Host "Reboot, sign in, and run this script with -AfterReboot -Report $Report"
  exit $(if ($script:failed -eq 0) { 0 } else { 1 })
}
if ($isService) { [void](Step 'no more at login' @('stop', '--at-login')) }
$words = @($Csp | Select-Object -Skip 1) + @('stop')
& $Csp[0] @words *> $null
if ($had) {
  Note 'csp was set up here before, so uninstall was not tried.'
} elseif (Wanted 'Remove what csp has written here? The CLI and its login stay, unless csp has fetched the CLI.') {
  [void](Step 'uninstall' @('uninstall', '--yes'))
}
Note "steps that failed: $($script:failed)"
End-Here
