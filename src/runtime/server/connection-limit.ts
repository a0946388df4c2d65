import { type OpenFiles, openFilesOfSystem } from './open-files.ts'

/**
 * Keeps connections from taking all the files that csp may have open: searches need some, and where none is left the
 * system lets nobody in. From half of them on, connections end with their reply, and those that wait for nothing are
 * closed; where requests alone would take three quarters, a caller with more than its share of them gets no more.
 */
export interface ConnectionLimit {
  /** Looks after the connections to this port. */
  watch(port: number): void
  /** Notes a request on the connection from this port of its caller. */
  began(port: number): Visit
  end(): void
}

/** One request as the limit sees it. */
export interface Visit {
  /** Whether the connection is to end with the reply. */
  readonly isLast: boolean
  /** Whether there is room for what it asks for; if not, it is to be refused. */
  admit(caller: string): boolean
  ended(): void
}

/** Where the system says nothing of files, there is always room. `open` is called once it may matter. */
export function connectionLimit(open: () => OpenFiles | undefined = openFilesOfSystem): ConnectionLimit {
  let port = 0
  let timer: Timer | undefined
  let files: OpenFiles | undefined
  /** Those that are no connection: of searches, pages, databases. */
  let ownFiles = 0
  /** Requests that are being served, by caller. */
  const served = new Map<string, number>()
  let requests = 0
  /** By the port at the other end; two machines may share one, and then both count as busy. */
  const peers = new Map<number, { requests: number; idleSince: number }>()

  /** Whether half of the files are open, as it was found last. */
  let pressed = false

  const most = () => Math.min(files?.limit ?? 0, maxFiles)
  const cutIdle = (limit: OpenFiles): void => {
    const now = performance.now()
    const count = limit.count()
    const connections = limit.connectionsTo(port)
    ownFiles = count - connections.length
    const patience = count < (most() * 3) / 4 ? idleMs : pressedMs
    for (const { peer, cut } of connections) {
      const known = peers.get(peer)
      if (!known) peers.set(peer, { requests: 0, idleSince: now })
      else if (known.requests === 0 && now - known.idleSince >= patience) cut()
    }
  }
  const look = (): void => {
    files ??= open()
    if (!files) return
    pressed = files.count() >= most() / 2
    if (pressed) cutIdle(files)
    else for (const [peer, state] of peers) if (state.requests === 0) peers.delete(peer)
    plan(pressed ? pressedMs : calmMs)
  }
  const hasRoom = (caller: string): boolean => {
    const room = Math.max((most() * 3) / 4 - ownFiles, minRequests)
    if (requests < room || !pressed) return true
    const isGreedy = (served.get(caller) ?? 0) >= room / (served.size + 1)
    return !isGreedy && requests < room + most() / 8
  }
  const plan = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(look, ms)
    timer.unref()
  }

  return {
    watch(listening) {
      port = listening
      plan(pressedMs)
    },
    began(peer) {
      const state = peers.get(peer) ?? { requests: 0, idleSince: 0 }
      peers.set(peer, state)
      state.requests++
      if (files && !pressed && files.count() >= most() / 2) look()
      let admitted: string | undefined
      let isOver = false
      return {
        isLast: pressed,
        admit(caller) {
          if (!hasRoom(caller)) return false
          admitted = caller
          requests++
          served.set(caller, (served.get(caller) ?? 0) + 1)
          return true
        },
        ended() {
          if (isOver) return
          isOver = true
          state.requests--
          state.idleSince = performance.now()
          if (admitted === undefined) return
          requests--
          const left = (served.get(admitted) ?? 1) - 1
          if (left > 0) served.set(admitted, left)
          else served.delete(admitted)
        },
      }
    },
    end: () => clearTimeout(timer),
  }
}

/** A higher limit is not used up: connections cost memory, too. */
const maxFiles = 8192
const calmMs = 1000
const pressedMs = 100
/** How long a connection may wait for its next request when files are few. */
const idleMs = 1000
/** Served at once however many files csp itself has open. */
const minRequests = 4
