import { type Loop, repeat } from '../../platform/jobs/loop.ts'
import type { Services } from '../../platform/services.ts'
import { startListener } from './listener.ts'
import { findWaitingPartners, openWorkQueue } from './work-queue.ts'

interface InterfacesDeps {
  services: Pick<Services, 'config' | 'databases' | 'log'>
  databaseUrl: string
}

const sweepMs = 5000

/** Listens for partners, if the settings say so, and works what they have sent, also what a process that died has left. */
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
