import { type Loop, repeat } from '../../platform/jobs/loop.ts'
import type { Services } from '../../platform/services.ts'
import { startListener } from './listener.ts'
import { findWaitingPartners, openWorkQueue } from './work-queue.ts'

interface InterfacesDeps {
  services: Pick<Services, 'config' | 'databases' | 'log'>
  databaseUrl: string
}

const sweepMs = 5000

/** Listens for partners, if configured, and processes their messages, including those left by a dead process. */
export const startInterfaces = ({ services, databaseUrl }: InterfacesDeps): Loop => {
  const queue = openWorkQueue(services)
  const listener = services.config.HL7_LISTEN ? startListener({ services, queue, databaseUrl }) : null
  const sweep = async () => {
    for (const partnerId of await findWaitingPartners(services)) queue.sweep(partnerId)
  }
  const sweeping = repeat('interfaces', sweepMs, sweep, services.log)
  return {
    stop: async () => {
      await listener?.stop()
      await sweeping.stop()
      await queue.stop()
    },
  }
}
