import { type Physician, type PhysicianRow, physicianRoutes } from '@lis/contract/physicians.ts'
import type { Resource } from '../../domain/resource/resource.ts'

export const physicians: Resource<PhysicianRow, Physician> = {
  kind: 'physician',
  path: 'physicians',
  title: 'Physicians',
  itemTitle: 'Physician',
  permission: 'physicians.write',
  routes: physicianRoutes,
}

type Named = Pick<PhysicianRow, 'physFirstName' | 'physLastName' | 'npiNumber'>

export const physicianName = ({ physFirstName, physLastName }: Named) => `${physFirstName} ${physLastName}`
export const physicianTitle = (physician: Named) => `${physicianName(physician)} (NPI ${physician.npiNumber})`
