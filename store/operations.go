package store

import "context"

func (s *Store) Query(ctx context.Context, r QueryRequest) (Answer[[]Summary], error) {
	panic("not yet")
}
func (s *Store) Check(ctx context.Context, r CheckRequest) (Answer[[]Summary], error) {
	panic("not yet")
}
func (s *Store) Create(ctx context.Context, r CreateRequest) (Answer[Created], error) {
	panic("not yet")
}
func (s *Store) Update(ctx context.Context, r UpdateRequest) (Answer[Updated], error) {
	panic("not yet")
}
func (s *Store) Finish(ctx context.Context, r FinishRequest) (Answer[Finished], error) {
	panic("not yet")
}
func (s *Store) Heartbeat(ctx context.Context, r HeartbeatRequest) (Answer[Heartbeat], error) {
	panic("not yet")
}
func (s *Store) Reap(ctx context.Context, r ReapRequest) (Answer[[]Reaped], error) {
	panic("not yet")
}
func (s *Store) Show(ctx context.Context, r ShowRequest) (Answer[Whole], error) {
	panic("not yet")
}
