; Vector accesses under a mask.
;@ env: DPOR_PASS=shared-all

declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v2i64.p0(<2 x i64>, ptr, i32, <2 x i1>)
declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x i32>)
declare void @llvm.masked.scatter.v2i16.v2p0(<2 x i16>, <2 x ptr>, i32, <2 x i1>)
declare <4 x float> @llvm.masked.expandload.v4f32(ptr, <4 x i1>, <4 x float>)
declare void @llvm.masked.compressstore.v4i8(<4 x i8>, ptr, <4 x i1>)

define void @side_by_side(ptr %p, <4 x i1> %m, <2 x i1> %n) {
; CHECK-LABEL: define void @side_by_side(
; CHECK-NEXT: %[[B:.*]] = bitcast <4 x i1> %m to i4
; CHECK-NEXT: %[[Z:.*]] = zext i4 %[[B]] to i64
; CHECK-NEXT: call void @__dpor_read_masked(ptr %p, i32 4, i32 4, i64 %[[Z]], ptr @dpor.site
; CHECK-NEXT: call <4 x i32> @llvm.masked.load
; CHECK-NEXT: bitcast <2 x i1> %n to i2
; CHECK-NEXT: zext i2
; CHECK-NEXT: call void @__dpor_write_masked(ptr %p, i32 8, i32 2,
; CHECK-NEXT: call void @llvm.masked.store
  %a = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> %m, <4 x i32> undef)
  call void @llvm.masked.store.v2i64.p0(<2 x i64> zeroinitializer, ptr %p, i32 8, <2 x i1> %n)
  ret void
}

define void @scattered(<2 x ptr> %p, <2 x i1> %m) {
; CHECK-LABEL: define void @scattered(
; CHECK-NEXT: %[[P:.*]] = extractelement <2 x ptr> %p, i32 0
; CHECK-NEXT: %[[M:.*]] = extractelement <2 x i1> %m, i32 0
; CHECK-NEXT: %[[Z:.*]] = zext i1 %[[M]] to i64
; CHECK-NEXT: call void @__dpor_read_masked(ptr %[[P]], i32 4, i32 1, i64 %[[Z]],
; CHECK-NEXT: extractelement <2 x ptr> %p, i32 1
; CHECK-NEXT: extractelement <2 x i1> %m, i32 1
; CHECK-NEXT: zext i1
; CHECK-NEXT: call void @__dpor_read_masked(
; CHECK-NEXT: call <2 x i32> @llvm.masked.gather
; CHECK: call void @__dpor_write_masked(ptr %{{.*}}, i32 2, i32 1,
; CHECK: call void @__dpor_write_masked(ptr %{{.*}}, i32 2, i32 1,
; CHECK-NEXT: call void @llvm.masked.scatter
  %a = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> %p, i32 4, <2 x i1> %m, <2 x i32> undef)
  call void @llvm.masked.scatter.v2i16.v2p0(<2 x i16> zeroinitializer, <2 x ptr> %p, i32 2, <2 x i1> %m)
  ret void
}

define void @packed(ptr %p, <4 x i1> %m) {
; As many bytes as the mask has ones, times the lane's size.
; CHECK-LABEL: define void @packed(
; CHECK: %[[N:.*]] = call i64 @llvm.ctpop.i64(
; CHECK-NEXT: %[[B:.*]] = mul i64 %[[N]], 4
; CHECK-NEXT: call void @__dpor_read_range(ptr %p, i64 %[[B]],
; CHECK-NEXT: call <4 x float> @llvm.masked.expandload
; CHECK: mul i64 %{{.*}}, 1
; CHECK-NEXT: call void @__dpor_write_range(ptr %p,
; CHECK-NEXT: call void @llvm.masked.compressstore
  %a = call <4 x float> @llvm.masked.expandload.v4f32(ptr %p, <4 x i1> %m, <4 x float> undef)
  call void @llvm.masked.compressstore.v4i8(<4 x i8> zeroinitializer, ptr %p, <4 x i1> %m)
  ret void
}

declare <4 x float> @llvm.x86.avx.maskload.ps(ptr, <4 x i32>)
declare void @llvm.x86.avx2.maskstore.q.256(ptr, <4 x i64>, <4 x i64>)

define void @by_sign(ptr %p, <4 x i32> %m, <4 x i64> %n) {
; CHECK-LABEL: define void @by_sign(
; CHECK-NEXT: %[[S:.*]] = icmp slt <4 x i32> %m, zeroinitializer
; CHECK-NEXT: bitcast <4 x i1> %[[S]] to i4
; CHECK-NEXT: zext i4
; CHECK-NEXT: call void @__dpor_read_masked(ptr %p, i32 4, i32 4, i64
; CHECK-NEXT: call <4 x float> @llvm.x86.avx.maskload.ps(
; CHECK-NEXT: icmp slt <4 x i64> %n, zeroinitializer
; CHECK: call void @__dpor_write_masked(ptr %p, i32 8, i32 4, i64
; CHECK-NEXT: call void @llvm.x86.avx2.maskstore.q.256(
  %a = call <4 x float> @llvm.x86.avx.maskload.ps(ptr %p, <4 x i32> %m)
  call void @llvm.x86.avx2.maskstore.q.256(ptr %p, <4 x i64> %n, <4 x i64> zeroinitializer)
  ret void
}
