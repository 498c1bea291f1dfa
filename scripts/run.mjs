// Runs a TypeScript file of the project on the Node version it is pinned to. Plain JavaScript without dependencies, because it is
// the first program that a newcomer starts, with any Node from version 20 on, before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'node_modules', '.installed-lock')

if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`Node 20 or newer is needed to start; this is ${process.version}.`)
  process.exit(1)
}

installWhatIsMissing()
runPinned(process.argv.slice(2))

function installWhatIsMissing() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  // A production image contains its modules, without the stamp and without the tools to install more.
  if (process.env.LIS_INSTALLED === '1') return
  console.log('Installing packages (npm ci) …')
  const npm = spawnSync(
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    ['ci', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
    },
  )
  if (npm.status !== 0) {
    console.error(
      'The packages could not be installed. Check the network and the npm registry settings, then start again.',
    )
    process.exit(1)
  }
  writeFileSync(stamp, lock)
}

function pinnedNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const pinned = join(root, 'node_modules', 'node', 'bin', name)
  if (existsSync(pinned)) return pinned
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  console.error(`Node 24 is not packaged for ${process.platform} ${process.arch}. Install Node 24 and start again.`)
  return process.exit(1)
}

function runPinned([file, ...args]) {
  const options = [
    // Warnings that type stripping is experimental would only confuse users.
    '--disable-warning=ExperimentalWarning',
    // Without it V8 keeps three times the memory that a server at rest needs.
    '--max-semi-space-size=8',
  ]
  const child = spawn(pinnedNode(), [...options, resolve(root, file), ...args], {
    cwd: root,
    stdio: 'inherit',
    // Caches compiled code: the next start is faster, and the server uses less memory.
    env: { NODE_COMPILE_CACHE: join(root, '.cache', 'compiled'), ...process.env },
  })
  // Ctrl-C reaches the child directly; this process only has to outlive it, and to forward signals sent to itself only.
  process.on('SIGINT', () => undefined)
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}
