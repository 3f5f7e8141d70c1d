// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "ClipmillPoseDrivers.h"

#include "Dom/JsonObject.h"
#include "Misc/FileHelper.h"
#include "Misc/Paths.h"
#include "Serialization/JsonReader.h"
#include "Serialization/JsonSerializer.h"

UClipmillPoseDrivers::UClipmillPoseDrivers() {
  PrimaryComponentTick.bCanEverTick = true;
  bWantsInitializeComponent = true;
  PrimaryComponentTick.TickGroup = TG_PostPhysics;  // after the animation
}

void UClipmillPoseDrivers::InitializeComponent() {
  Super::InitializeComponent();
  Mesh = GetOwner()->FindComponentByClass<USkeletalMeshComponent>();
  FString Text;
  TSharedPtr<FJsonObject> Json;
  const FString Path = FPaths::ProjectContentDir() / DriversFile;
  const bool bIsRead =
      Mesh && FFileHelper::LoadFileToString(Text, *Path) &&
      FJsonSerializer::Deserialize(TJsonReaderFactory<>::Create(Text), Json) &&
      Json->GetStringField(TEXT("format")) == TEXT("clipmill-drivers") &&
      Json->GetIntegerField(TEXT("version")) == 1;
  if (!bIsRead) {
    UE_LOG(LogTemp, Error, TEXT("%s: no drivers of a known version, or no mesh"), *Path);
    return;
  }
  for (const auto& Name : Json->GetArrayField(TEXT("constant"))) {
    Constant.Add(FName(Name->AsString()));
  }
  for (const auto& Driver : Json->GetArrayField(TEXT("drivers"))) {
    Drivers.Add(Read(*Driver->AsObject()));
  }
}

// Files are right-handed, Unreal is left-handed: the FBX importer mirrors y, the glTF importer
// exchanges y and z.
FQuat UClipmillPoseDrivers::Rotation(const TArray<TSharedPtr<FJsonValue>>& N) const {
  const double X = N[0]->AsNumber(), Y = N[1]->AsNumber(), Z = N[2]->AsNumber();
  const bool bIsFbx = Axes == EClipmillAxes::Fbx;
  return FQuat(-X, bIsFbx ? Y : -Z, bIsFbx ? -Z : -Y, N[3]->AsNumber()).GetNormalized();
}

UClipmillPoseDrivers::FDriver UClipmillPoseDrivers::Read(const FJsonObject& Json) const {
  FDriver Driver;
  for (const auto& Joint : Json.GetArrayField(TEXT("joints"))) {
    Driver.Bones.Add(FName(Joint->AsObject()->GetStringField(TEXT("name"))));
    Driver.Binds.Add(Rotation(Joint->AsObject()->GetArrayField(TEXT("bind"))));
  }
  for (const auto& Value : Json.GetArrayField(TEXT("inputs"))) {
    const TSharedPtr<FJsonObject> Own = Value->AsObject();
    FInput& Input = Driver.Inputs.AddDefaulted_GetRef();
    Input.Joint = Own->GetIntegerField(TEXT("joint"));
    Input.Part = Own->GetStringField(TEXT("part"));
    Input.Weight = Own->GetNumberField(TEXT("weight"));
    const TArray<TSharedPtr<FJsonValue>>* Axis = nullptr;
    if (!Own->TryGetArrayField(TEXT("axis"), Axis)) continue;
    const FVector A((*Axis)[0]->AsNumber(), (*Axis)[1]->AsNumber(), (*Axis)[2]->AsNumber());
    Input.Axis = Axes == EClipmillAxes::Fbx ? FVector(A.X, -A.Y, A.Z) : FVector(A.X, A.Z, A.Y);
  }
  Driver.Width = Json.GetNumberField(TEXT("width"));
  for (const auto& Center : Json.GetArrayField(TEXT("centers"))) {
    TArray<FQuat>& Rotations = Driver.Centers.AddDefaulted_GetRef();
    for (const auto& Own : Center->AsArray()) Rotations.Add(Rotation(Own->AsArray()));
  }
  for (const auto& Value : Json.GetArrayField(TEXT("morphs"))) {
    FMorph& Morph = Driver.Morphs.AddDefaulted_GetRef();
    Morph.Name = FName(Value->AsObject()->GetStringField(TEXT("name")));
    for (const auto& Own : Value->AsObject()->GetArrayField(TEXT("values"))) {
      Morph.Values.Add(Own->AsNumber());
    }
  }
  return Driver;
}

void UClipmillPoseDrivers::TickComponent(float Seconds, ELevelTick Type,
                                         FActorComponentTickFunction* This) {
  Super::TickComponent(Seconds, Type, This);
  for (const FName& Name : Constant) Mesh->SetMorphTarget(Name, 1.0f);
  for (const FDriver& Driver : Drivers) {
    TArray<FQuat> Pose;
    for (int32 J = 0; J < Driver.Bones.Num(); ++J) {
      const FQuat Local =
          Mesh->GetSocketTransform(Driver.Bones[J], RTS_ParentBoneSpace).GetRotation();
      Pose.Add((Driver.Binds[J].Inverse() * Local).GetNormalized());
    }
    const TArray<double> Weights = CenterWeights(Driver, Pose);
    for (const FMorph& Morph : Driver.Morphs) {
      double Weight = 0.0;
      for (int32 C = 0; C < Weights.Num(); ++C) Weight += Weights[C] * Morph.Values[C];
      Mesh->SetMorphTarget(Morph.Name, static_cast<float>(Weight));
    }
  }
}

// Weights of the centers, which sum to 1.
TArray<double> UClipmillPoseDrivers::CenterWeights(const FDriver& Driver,
                                                   const TArray<FQuat>& Pose) {
  TArray<double> Weights;
  for (const TArray<FQuat>& Center : Driver.Centers) {
    double Distance = 0.0;
    for (const FInput& Input : Driver.Inputs) {
      Distance += Input.Weight * Distance2(Input, Center[Input.Joint], Pose[Input.Joint]);
    }
    Weights.Add(Distance);
  }
  const double Nearest = FMath::Min(Weights);
  double Sum = 0.0;
  for (double& Weight : Weights) {
    Weight = FMath::Exp((Nearest - Weight) / (2.0 * Driver.Width * Driver.Width));
    Sum += Weight;
  }
  for (double& Weight : Weights) Weight /= Sum;
  return Weights;
}

// Square of the distance of two rotations, 0 to 4.
double UClipmillPoseDrivers::Distance2(const FInput& Input, const FQuat& A, const FQuat& B) {
  if (Input.Part == TEXT("swing")) {
    return 2.0 - 2.0 * FVector::DotProduct(A.RotateVector(Input.Axis), B.RotateVector(Input.Axis));
  }
  const auto HalfTwist = [&](const FQuat& Q) {
    return FVector2D(Q.W, FVector::DotProduct(FVector(Q.X, Q.Y, Q.Z), Input.Axis)).GetSafeNormal();
  };
  const double Half = Input.Part == TEXT("twist")
                          ? FVector2D::DotProduct(HalfTwist(A), HalfTwist(B))
                          : (A | B);
  return 4.0 * (1.0 - Half * Half);
}
