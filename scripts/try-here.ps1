# Tries csp on a real Windows machine and writes a report to send in: install, login, one search of each strategy, a
# service of Task Scheduler, what to look at after a reboot, uninstall. What csp says of a search is numbers; no question,
# no answer, no key and no account stand in the report, and your name, home and machine are replaced.
#
#   powershell -ExecutionPolicy Bypass -File try-here.ps1
#   ... -Yes            asks nothing, except what the login asks
#   ... -AfterReboot    looks whether the service came back, and adds that to the report
#   ... -Sandbox        without an account: searches of the sandbox, which invents all pages
#   ... -Csp COMMAND    how csp is called, with commas between the words; npx --yes claude-search-proxy by default
param(
  [switch]$Yes,
  [switch]$AfterReboot,
  [switch]$Sandbox,
  [string[]]$Csp = @('npx.cmd', '--yes', 'claude-search-proxy'),
  [string]$Report = 'csp-report.txt'
)

$port = '52489'
$env:CSP_PORT = $port
$env:CSP_NO_UPDATE_CHECK = '1'
$env:NO_COLOR = '1'
if ($Sandbox) { $env:CSP_SANDBOX = '1' }
$script:failed = 0

function Clean([string]$Text) {
  $Text = $Text.Replace($env:USERPROFILE, '~').Replace($env:USERNAME, 'USER').Replace($env:COMPUTERNAME, 'HOST')
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
  $said = & $Csp[0] @all 2>&1 | ForEach-Object { "$_" } | Out-String
  $code = $LASTEXITCODE
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
  [void](Step 'the service after a reboot' @('service', 'status'))
  [void](Step 'csp answers after a reboot' @('status'))
  if (Wanted 'Remove the service now?') { [void](Step 'service uninstall' @('service', 'uninstall')) }
  End-Here
}

# What csp had here before is not this script's to remove.
$had = (Test-Path "$env:USERPROFILE\.config\csp") -or (Test-Path "$env:USERPROFILE\.local\state\csp")
Set-Content -Encoding UTF8 -Path $Report -Value "csp on a real machine, $((Get-Date).ToUniversalTime().ToString('s'))Z"
Note "system: Windows $([Environment]::OSVersion.Version) $env:PROCESSOR_ARCHITECTURE, PowerShell $($PSVersionTable.PSVersion)"
Note "node $(node --version), npm $(npm.cmd --version)"
Note "called by: $($Csp -join ' ')$(if ($Sandbox) { ', on the sandbox' })"

if (-not (Step 'install' @('version'))) { Write-Host "csp does not run: see $Report."; exit 1 }
if (-not $Sandbox -and (Wanted 'Sign in, where the CLI is signed out? csp asks before it fetches the CLI.')) {
  # In this terminal, since it asks; what it says is not noted.
  $words = @($Csp | Select-Object -Skip 1) + @('login') + $(if ($Yes) { @('--yes') } else { @() })
  & $Csp[0] @words
  Note "== login: code $LASTEXITCODE"
}
[void](Step 'doctor' @('doctor'))
if (Wanted 'Make one search of each strategy? They are some six searches on your plan.') {
  [void](Step 'searches' @('doctor', '--live'))
}

$isService = $false
if (Wanted 'Install csp as a service of this user?') {
  if (Step 'service install' @('service', 'install', '--port', $port)) {
    $isService = $true
    [void](Step 'service status' @('service', 'status'))
    [void](Step 'service restart' @('service', 'restart'))
  } else {
    Note 'No service here; csp start instead.'
    [void](Step 'start' @('start', '--port', $port))
  }
  [void](Step 'status' @('status'))
}

if ($isService -and -not $Yes -and (Wanted 'Keep the service, to see whether it comes back after a reboot?')) {
  Write-Host "Reboot, sign in, and run this script with -AfterReboot -Report $Report"
  exit $(if ($script:failed -eq 0) { 0 } else { 1 })
}
if ($isService) { [void](Step 'service uninstall' @('service', 'uninstall')) }
$words = @($Csp | Select-Object -Skip 1) + @('stop')
& $Csp[0] @words *> $null
if ($had) {
  Note 'csp was set up here before, so uninstall was not tried.'
} elseif (Wanted 'Remove what csp has written here? The CLI and its login stay, unless csp has fetched the CLI.') {
  [void](Step 'uninstall' @('uninstall', '--yes'))
}
Note "steps that failed: $($script:failed)"
End-Here
