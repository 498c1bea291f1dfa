import { sql } from 'kysely'
import { systemScope } from '../../platform/db/scope.ts'
import { startExclusive } from '../../platform/jobs/exclusive.ts'
import { type Loop, repeat } from '../../platform/jobs/loop.ts'
import { watchFolders } from './folder-watch.ts'
import { type Link, openLink } from './link.ts'
import { closeAllLinks, type InstrumentServices, settleOutgoing, takeWorkLists } from './link-store.ts'
import type { LinkedInstrument } from './linked-instrument.ts'
import { findWaitingInstruments } from './work.ts'
import { openInstrumentQueue } from './work-queue.ts'

interface InstrumentsDeps {
  services: InstrumentServices
  databaseUrl: string
}

/** How often the records are read: a change of a record takes effect within 2 seconds. */
const everyMs = 500
const sweepMs = 5000

/** Runs in exactly one process: opens and closes the connections of instruments as their records change, and watches their folders. */
export const startInstruments = ({ services, databaseUrl }: InstrumentsDeps): Loop => {
  const queue = openInstrumentQueue(services)
  const links = new Map<number, { key: string; link: Link }>()
  let isStarted = false
  let folders: Loop | null = null

  const round = async () => {
    if (!isStarted) await closeAllLinks(services)
    isStarted = true
    folders ??= watchFolders(services, queue)
    const wanted = await listLinked(services)
    const ids = new Set(wanted.map(({ id }) => id))
    const keyOf = ({ protocol, host, port, labZone }: LinkedInstrument) => `${protocol} ${host} ${port} ${labZone}`
    const ended = [...links].filter(([id, { key }]) => !wanted.some((one) => one.id === id && keyOf(one) === key))
    for (const [id] of ended) links.delete(id)
    await Promise.all(ended.map(([, { link }]) => link.stop()))
    for (const [id] of ended)
      if (!ids.has(id)) services.log.info({ instrumentId: id }, 'the connection of an instrument is closed')
    for (const instrument of wanted)
      if (!links.has(instrument.id))
        links.set(instrument.id, { key: keyOf(instrument), link: openLink({ services, instrument, queue }) })
    for (const { id, instrumentId, message } of await takeWorkLists(services))
      if (!links.get(instrumentId)?.link.send(id, message))
        await settleOutgoing(services, id, 'The instrument was no longer connected')
  }

  const end = async () => {
    isStarted = false
    const all = [...links.values()]
    links.clear()
    const watch = folders
    folders = null
    await Promise.all([watch?.stop(), ...all.map(({ link }) => link.stop().catch(() => undefined))])
  }

  const exclusive = startExclusive({ lockName: 'instruments', databaseUrl, log: services.log, everyMs, round, end })
  const sweep = async () => {
    for (const id of await findWaitingInstruments(services)) void queue.work(id)
  }
  const sweeping = repeat('instruments', sweepMs, sweep, services.log)
  return {
    stop: async () => {
      await exclusive.stop()
      await sweeping.stop()
      await queue.stop()
    },
  }
}

const listLinked = async ({ databases }: InstrumentServices): Promise<LinkedInstrument[]> => {
  const { rows } = await sql<LinkedInstrument>`
    select i.id, i.name, lab.zone as "labZone", i.protocol, i.host, i.port from instrument i join lab on lab.id = i.lab_id
    where i.is_active and i.deleted_at is null and i.protocol in ('ASTM', 'HL7') and i.port is not null order by i.id`.execute(
    databases(systemScope),
  )
  return rows
}
